/** The command-line options that each bench gets. */
export type BenchOptions = {
  /** The number of decisions in the larger of the two years of data that the bench generates. */
  decisions: number;
};
