/** The command-line options that each bench gets. */
export type BenchOptions = {
  /** The number of decisions in the larger generated year. */
  decisions: number;
};
