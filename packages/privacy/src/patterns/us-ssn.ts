/**
 * Finds social security numbers of the United States as people write them. The area is not 000, 666 or 9xx, and no
 * part consists of zeros only.
 */
import { type Finder, MASK, spanOf } from './piece.ts';

const WRITTEN = new RegExp(
  `(?<![\\w${MASK}]|[\\d${MASK}][.-])(?!000|666|9)\\d{3}([ -])(?!00)\\d{2}\\1(?!0000)\\d{4}(?![\\w${MASK}]|[.-][\\d${MASK}])`,
  'g',
);

export const findUsSsns: Finder = (text) => Array.from(text.matchAll(WRITTEN), spanOf);
