// The meanings of colours. `accent` marks the selection, the others a state.
export type Tone = "work" | "need" | "bad" | "review" | "ready" | "idle" | "accent";
