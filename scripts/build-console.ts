/**
 * Builds the console: packages/console/dist has the pages, each file also compressed by brotli and by gzip. The
 * service of the console sends the files as they are.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { licencesOf } from './third-party.ts';

const root = join(import.meta.dirname, '../packages/console');
const dist = join(root, 'dist');
/** Smaller files fit into one packet anyway. */
const COMPRESSED_FROM_BYTES = 1_024;

rmSync(dist, { recursive: true, force: true });
const output = await build({
  root,
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic' } },
  worker: { format: 'es' },
  build: {
    outDir: dist,
    target: 'es2024',
    // A script inside a page would break its content security policy.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      // Base UI marks its files with "use client", which means nothing here.
      onLog: (level, log, handle) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
      },
    },
  },
});

const modules = [output].flat().flatMap((one) => ('output' in one ? one.output : []));
const packages = modules.flatMap((file) =>
  file.type === 'chunk'
    ? file.moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? [])
    : [],
);
writeFileSync(
  join(dist, 'THIRD-PARTY'),
  `Software of others in the pages of the console.\n\n${licencesOf(new Set(packages))}`,
);

for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  if (!['.js', '.css', '.html', '.svg'].includes(extname(file))) continue;
  const bytes = readFileSync(join(dist, file));
  if (bytes.length < COMPRESSED_FROM_BYTES) continue;
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  writeFileSync(join(dist, `${file}.br`), brotliCompressSync(bytes, { params }));
  writeFileSync(join(dist, `${file}.gz`), gzipSync(bytes, { level: 9 }));
}
