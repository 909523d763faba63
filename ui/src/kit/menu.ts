// A menu as data, so that a context menu and its "…" button never differ.
import type { Component } from "svelte";

export interface MenuAction {
  label: string;
  run: () => void;
  icon?: Component<{ size?: number }> | undefined;
  keys?: string | undefined;
  danger?: boolean;
  disabled?: boolean;
}

export type MenuEntry = MenuAction | "separator";
