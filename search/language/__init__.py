"""The words of each language, in one file each: for dates, intent, flush, review and small talk."""
