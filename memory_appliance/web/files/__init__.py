"""The files of an agent: tree, reader, raw view, editing, versions, new notes, forgetting."""
