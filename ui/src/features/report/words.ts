// Texts about what a worker reports of its task.
import type { ReportStatus } from "~/wire/types";

export const words = {
  title: "Report",
  statuses: {
    done: "Reported as done",
    partial: "Reported as done in part",
    blocked: "Reported as blocked",
    failed: "Reported as failed",
  } satisfies Record<ReportStatus, string>,
  files: "Files",
};
