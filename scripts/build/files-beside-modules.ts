/**
 * Puts the files that modules open at run time into the published package: threads, scripts of Redis, migrations. A
 * module names them by `new URL('path', import.meta.url)` or `join(import.meta.dirname, 'path')`.
 */
import { cpSync, existsSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Plugin } from 'rolldown';
import { ROOT } from './workspaces.ts';

const NAMED =
  /(new URL\(\s*'|join\(\s*import\.meta\.dirname,\s*')([^']+)('(?:,\s*import\.meta\.url,?)?\s*\))/g;

/** @param keepsFolders true if the package has the folders of the repository, false if its files are in one folder */
export function filesBesideModules(out: string, { keepsFolders }: { keepsFolders: boolean }): Plugin {
  const opened: { file: string; to: string; by: string }[] = [];
  return {
    name: 'files-beside-modules',
    transform(code, id) {
      if (!code.includes('import.meta.')) return null;
      const rewritten = code.replace(NAMED, (all, before: string, path: string, after: string) => {
        const file = join(dirname(id), path);
        if (!existsSync(file) || relative(ROOT, file).includes('node_modules')) return all;
        if (!path.endsWith('.ts')) {
          opened.push({ file, to: join(out, keepsFolders ? relative(ROOT, file) : path), by: id });
          return all;
        }
        this.emitFile({ type: 'chunk', id: file });
        return `${before}${path.replace(/\.ts$/, '.js')}${after}`;
      });
      return rewritten === code ? null : { code: rewritten };
    },
    generateBundle(_options, bundle) {
      const kept = new Set(
        Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : [])),
      );
      for (const { file, to, by } of opened) {
        if (!kept.has(by)) continue;
        if (relative(out, to).startsWith('..'))
          throw new Error(`${by} opens ${file}, outside of its package`);
        copy(file, to);
      }
    },
  };
}

/** Copies a file, or the data files of a folder. */
function copy(from: string, to: string): void {
  const isData = (path: string) => statSync(path).isDirectory() || !path.endsWith('.ts');
  cpSync(from, to, { recursive: true, filter: isData });
}
