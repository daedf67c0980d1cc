/** What the command line says to every bench. */
export type BenchOptions = {
  /** How many decisions the larger generated year holds. */
  decisions: number;
};
