/** Steps of some hundred nanoseconds. What there is no more effort for is not told. */

/** Of all that is asked of a tenant's documents, a second or two. */
export const EFFORT_OF_ALL = 20_000_000;
/** Of what one change is answered with. */
export const EFFORT_OF_ONE = 2_000_000;
