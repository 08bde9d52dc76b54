"""An agent's files as people and gateways use them: notes, the editor, versions, imports and exports."""
