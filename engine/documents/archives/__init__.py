"""Files in which others lie: ZIP archives of XML, OLE compound files, and what programs convert.

A person gets the files that are attached to a document or embedded in it, whatever names an archive gives its parts,
and documents of Office 97, by a program of this computer or by their values.

What belongs here: how parts are found, within limits of size. What never does: what an element of a part means.
"""
