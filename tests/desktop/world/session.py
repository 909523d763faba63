"""What a desktop offers over D-Bus, for tests: a tray host, notifications, and the login manager
that inhibits idle sleep. Not a real desktop: it draws nothing.

Each thing that happens is a line of JSON on standard output: {"event": ...}. Each line of JSON on
standard input is a command {"n": number, "do": ...}, answered by {"n": ..., "result" | "error"}.
"""

import json
import os
import sys

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

WATCHER = "org.kde.StatusNotifierWatcher"
ITEM = "org.kde.StatusNotifierItem"
NOTIFICATIONS = "org.freedesktop.Notifications"
LOGIN = "org.freedesktop.login1"
MENU = "com.canonical.dbusmenu"
PROPERTIES = "org.freedesktop.DBus.Properties"


def say(**line):
    print(json.dumps(line), flush=True)


class Tray(dbus.service.Object):
    """The place where tray icons register."""

    def __init__(self, bus):
        super().__init__(bus, "/StatusNotifierWatcher")
        self.bus = bus
        self.items = []
        self.shown = True

    @dbus.service.method(WATCHER, in_signature="s", sender_keyword="sender")
    def RegisterStatusNotifierItem(self, service, sender=None):
        name = sender if service.startswith("/") else service
        self.items.append(name)
        say(event="tray", name=name)

    @dbus.service.method(WATCHER, in_signature="s")
    def RegisterStatusNotifierHost(self, service):
        pass

    @dbus.service.signal(WATCHER, signature="s")
    def StatusNotifierItemRegistered(self, service):
        pass

    @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v")
    def Get(self, _interface, name):
        return self.GetAll(_interface)[name]

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, _interface):
        return {
            "RegisteredStatusNotifierItems": dbus.Array(self.items, signature="s"),
            "IsStatusNotifierHostRegistered": self.shown,
            "ProtocolVersion": 0,
        }

    def item(self):
        return self.bus.get_object(self.items[-1], "/StatusNotifierItem")

    def properties(self):
        return self.item().GetAll(ITEM, dbus_interface=PROPERTIES)

    def menu(self):
        return self.bus.get_object(self.items[-1], self.properties()["Menu"])

    def entries(self):
        """Label to id, for the first level."""
        _revision, (_id, _properties, children) = self.menu().GetLayout(
            0, -1, dbus.Array([], signature="s"), dbus_interface=MENU
        )
        return {str(c[1]["label"]): int(c[0]) for c in children if "label" in c[1]}

    def describe(self):
        found = self.properties()
        return {
            "title": str(found["Title"]),
            "tooltip": str(found["ToolTip"][3]),
            "menu": list(self.entries()),
        }

    def choose(self, label):
        at = self.entries()
        found = [i for text, i in at.items() if text.startswith(label)]
        if not found:
            raise KeyError(f"no entry {label!r} among {list(at)}")
        self.menu().Event(found[0], "clicked", dbus.Int32(0), dbus.UInt32(0), dbus_interface=MENU)

    def activate(self):
        self.item().Activate(0, 0, dbus_interface=ITEM)


class Notifications(dbus.service.Object):
    """The place where notifications are shown."""

    def __init__(self, bus):
        super().__init__(bus, "/org/freedesktop/Notifications")
        self.last = 0

    @dbus.service.method(NOTIFICATIONS, in_signature="susssasa{sv}i", out_signature="u")
    def Notify(self, app, _replaces, _icon, summary, body, actions, _hints, _timeout):
        self.last += 1
        say(
            event="notification",
            id=self.last,
            app=str(app),
            summary=str(summary),
            body=str(body),
            actions=[str(a) for a in actions],
        )
        return self.last

    @dbus.service.method(NOTIFICATIONS, out_signature="as")
    def GetCapabilities(self):
        return ["actions", "body", "body-markup"]

    @dbus.service.method(NOTIFICATIONS, out_signature="ssss")
    def GetServerInformation(self):
        return ("test", "downbeat", "1", "1.2")

    @dbus.service.method(NOTIFICATIONS, in_signature="u")
    def CloseNotification(self, number):
        self.NotificationClosed(number, 3)

    @dbus.service.signal(NOTIFICATIONS, signature="us")
    def ActionInvoked(self, number, action):
        pass

    @dbus.service.signal(NOTIFICATIONS, signature="uu")
    def NotificationClosed(self, number, reason):
        pass

    def click(self, number):
        self.ActionInvoked(number, "default")
        self.NotificationClosed(number, 2)


class Login(dbus.service.Object):
    """The login manager: hands out a pipe per inhibition, which ends when the pipe is closed."""

    def __init__(self, bus):
        super().__init__(bus, "/org/freedesktop/login1")

    @dbus.service.method(LOGIN + ".Manager", in_signature="ssss", out_signature="h")
    def Inhibit(self, what, who, why, mode):
        read, write = os.pipe()
        say(event="inhibit", what=str(what), who=str(who), why=str(why), mode=str(mode))
        GLib.io_add_watch(read, GLib.IO_HUP, self.released, str(what))
        handed = dbus.types.UnixFd(write)
        os.close(write)
        return handed

    def released(self, descriptor, _condition, what):
        os.close(descriptor)
        say(event="released", what=what)
        return False


def obey(tray, notifications, line):
    command = json.loads(line)
    actions = {
        "tray": tray.describe,
        "choose": lambda: tray.choose(command["label"]),
        "activate": tray.activate,
        "click": lambda: notifications.click(dbus.UInt32(command["id"])),
        "panel": lambda: setattr(tray, "shown", command["on"]),
    }
    try:
        say(n=command["n"], result=actions[command["do"]]())
    except Exception as error:  # Reported to the test, whatever it is.
        say(n=command["n"], error=f"{type(error).__name__}: {error}")


def main():
    DBusGMainLoop(set_as_default=True)
    bus = dbus.SessionBus()
    # Kept: the names are released when these objects are dropped.
    # A test with a real notification daemon leaves that name to it.
    wanted = [name for name in (WATCHER, NOTIFICATIONS, LOGIN) if name not in sys.argv[1:]]
    names = [dbus.service.BusName(name, bus) for name in wanted]
    tray, notifications, _login = Tray(bus), Notifications(bus), Login(bus)
    loop = GLib.MainLoop()

    def heard(source, _condition):
        line = source.readline()
        if line:
            obey(tray, notifications, line)
            return True
        loop.quit()
        return False

    GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, heard)
    say(event="ready", names=len(names))
    loop.run()


main()
