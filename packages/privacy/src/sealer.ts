/** Seals texts of a person, which stay readable until the person is erased. */
export type Sealer = {
  /** The same text of the same person gives the same token; null: that person was erased. */
  seal(tenant: string, person: string, text: string): string | null;
  /** The id that stands for the person's own one, a valid id of a principal; null: that person was erased. */
  pseudonym(tenant: string, person: string): string | null;
  /** Whether this whole text is a token or a pseudonym that a sealer gave: such a text is not sealed again. */
  isSealed(text: string): boolean;
};
