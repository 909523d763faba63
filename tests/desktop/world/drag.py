"""A window that a folder can be dragged out of: a file manager's half of a drop.

    drag.py FOLDER

Shows a small window named "Source" and ends with the drag that began in it.
"""

import sys
from pathlib import Path

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk  # noqa: E402

folder = Path(sys.argv[1]).as_uri()
window = Gtk.Window(title="Source")
window.set_default_size(120, 80)
box = Gtk.EventBox()
window.add(box)
box.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, [], Gdk.DragAction.COPY)
box.drag_source_add_uri_targets()
box.connect("drag-data-get", lambda _box, _context, data, _info, _time: data.set_uris([folder]))
box.connect("drag-end", lambda _box, _context: Gtk.main_quit())
window.show_all()
Gtk.main()
