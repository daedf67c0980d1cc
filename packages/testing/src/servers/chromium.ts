import { existsSync } from 'node:fs';
import { type InstalledProgram, installedProgram } from './installed-program.ts';

/** The flags with which Chromium runs in a container, and sends nothing to other machines. */
const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update'],
];

let found: Promise<InstalledProgram> | undefined;

/**
 * Finds Chromium: the program that `CHROMIUM_PATH` names, or one on the PATH, or Debian's.
 *
 * @throws MissingServerError if Chromium and apt-get are both missing
 */
export function installedChromium(): Promise<InstalledProgram> {
  const named = process.env.CHROMIUM_PATH ?? '';
  found ??= existsSync(named)
    ? Promise.resolve({ command: named, env: {}, what: 'chromium, named by CHROMIUM_PATH' })
    : installedProgram({
        name: 'chromium',
        // The program in usr/bin is a script that starts this one by its absolute path.
        path: 'usr/lib/chromium/chromium',
        versionOption: '--version',
        versionIn: (told) => /Chromium (\d+\.[\d.]+)/.exec(told)?.[1],
        orInstall: 'install chromium, or name one in CHROMIUM_PATH',
      });
  return found;
}

/** Returns what Playwright needs to launch Chromium. */
export async function chromiumOptions(): Promise<{
  executablePath: string;
  env: Record<string, string>;
  args: string[];
}> {
  const { command, env } = await installedChromium();
  const inherited = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return { executablePath: command, env: { ...Object.fromEntries(inherited), ...env }, args: FLAGS };
}
