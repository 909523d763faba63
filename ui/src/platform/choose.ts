// Chooses the host that this page runs in. The desktop code is loaded only there.
import type { Platform } from "./types";

export async function choosePlatform(): Promise<Platform> {
  if ("__TAURI_INTERNALS__" in window) {
    const { tauriHost } = await import("./tauri");
    return tauriHost();
  }
  const { followToken, httpHost, takeToken } = await import("./http");
  followToken();
  return httpHost(takeToken());
}
