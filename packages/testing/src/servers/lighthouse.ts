/** Lighthouse, which scores pages. Only a bench uses it, and it brings 85 packages, so it is no dependency. */
import { join } from 'node:path';
import { cachedFolder } from './cache-folder.ts';
import { runTool } from './run-tool.ts';

const VERSION = '13.5.0';

/**
 * Returns the module of Lighthouse, to be imported.
 *
 * @throws MissingServerError if Lighthouse is not in the cache and npm cannot fetch it
 */
export async function installedLighthouse(): Promise<string> {
  const folder = await cachedFolder(`lighthouse-${VERSION}`, async (into) => {
    const options = ['--prefix', into, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'];
    await runTool('npm', ['install', ...options, `lighthouse@${VERSION}`], {
      orInstall: 'connect to a registry of npm',
    });
  });
  return join(folder, 'node_modules/lighthouse/core/index.js');
}
