// The meanings that colour may have. `accent` is for what is selected, the rest for how a thing is.
export type Tone = "work" | "need" | "bad" | "review" | "ready" | "idle" | "accent";
