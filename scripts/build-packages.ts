/**
 * Builds the packages that are published, each into the folder `dist` of its workspace: `npm run build`. With
 * `--pack <folder>` it also writes the tarballs to this folder. To publish, run `npm publish` on a tarball.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPackage } from './build/build-package.ts';
import { pack } from './build/pack.ts';
import { PUBLISHED } from './build/published.ts';

const { values } = parseArgs({ options: { pack: { type: 'string' } } });

for (const published of PUBLISHED) {
  const out = join(published.folder, 'dist');
  await buildPackage(published, out);
  console.log(values.pack === undefined ? out : pack(out, values.pack));
}
