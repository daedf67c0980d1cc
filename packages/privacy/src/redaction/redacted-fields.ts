/** The fields that a process redacts by its settings, whatever the privacy document says. */
export type RedactedFields = {
  /** Names of fields to redact. If absent, the usual names of secrets. */
  readonly redact: readonly string[] | undefined;
  /** Names of fields that are published as a keyed hash. */
  readonly hash: readonly string[];
  readonly hashKey: string | undefined;
};
