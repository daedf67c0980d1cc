import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of this repository. */
export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
