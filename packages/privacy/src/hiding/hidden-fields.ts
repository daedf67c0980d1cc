/** What the settings of a process say about fields, whatever the privacy document says. */
export type HiddenFields = {
  /** Names of fields that are redacted; absent: the usual secrets. */
  readonly redact: readonly string[] | undefined;
  /** Names of fields that are published as a keyed hash. */
  readonly hash: readonly string[];
  readonly hashKey: string | undefined;
};
