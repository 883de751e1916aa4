"""Reports as pages for a browser: a story each, the index of a check, and two stories side by side.

A page is one file: a template (`story.html`, `index.html`, `compare.html`) with its style and its program inlined and
its data as one block of JSON, with the types of `data.py`. It asks no network for anything and opens from the
file system. Whatever a model or a trace says gets into the page as data and is shown as text.

`story` and `index` make the data, `pages` the files, `folder` decides which files there are.
"""
