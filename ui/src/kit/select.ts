// An option of a choice: what Select and SelectField take.
export interface SelectOption<Value extends string> {
  value: Value;
  label: string;
  detail?: string | undefined;
  /** Shown next to the label, also while closed: a version. */
  aside?: string | undefined;
  disabled?: boolean;
}
