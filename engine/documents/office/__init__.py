"""DOCX, XLSX, PPTX, SpreadsheetML 2003 and HWPX.

A person gets texts with their structure, sheets with numbers as they are shown and cells that are merged, slides with
charts and notes; what is hidden, deleted or has no colour of its own is left out and counted.

What belongs here: what elements of these formats mean (ECMA-376, KS X 6101). What never does: how parts are found.
"""
