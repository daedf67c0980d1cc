/** Seals texts of a person. A sealed text can be read until the person is erased. */
export type Sealer = {
  /** Returns the same token for the same text of the same person. Null if the person was erased. */
  seal(tenant: string, person: string, text: string): string | null;
  /**
   * Returns the id that replaces the person's own id. It is a valid id of a principal. Null if the person was erased.
   */
  pseudonym(tenant: string, person: string): string | null;
  /** True if the whole text is a token or a pseudonym of a sealer. Such a text is not sealed again. */
  isSealed(text: string): boolean;
};
