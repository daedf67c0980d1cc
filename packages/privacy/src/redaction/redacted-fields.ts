/** The fields that the settings of a process redact, whatever the privacy document says. */
export type RedactedFields = {
  /** Names of fields to redact. Absent: the usual names of secrets. */
  readonly redact: readonly string[] | undefined;
  /** Names of fields that are published as a keyed hash. */
  readonly hash: readonly string[];
  readonly hashKey: string | undefined;
};
