/** What the misbehaving server remembers. */
export type ServerState = {
  isRenamed: boolean;
  /** The methods of all messages so far, with the name of the tool or the id that is cancelled. */
  log: string[];
};
