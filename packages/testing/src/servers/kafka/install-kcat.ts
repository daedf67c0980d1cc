import { type InstalledProgram, installedProgram } from '../installed-program.ts';

let found: Promise<InstalledProgram> | undefined;

/**
 * Finds kcat: a Kafka client on librdkafka, like the clients of C, Python, Go and .NET.
 *
 * @throws MissingServerError if kcat and apt-get are both missing
 */
export function installedKcat(): Promise<InstalledProgram> {
  found ??= installedProgram({
    name: 'kcat',
    versionOption: '-V',
    // A kcat without zstd is not accepted, because librdkafka may be built without it.
    versionIn: (told) => /Version (\d+\.\d+\.\d+) .*features=.*\bzstd\b/.exec(told)?.[1],
    orInstall: 'install kcat with zstd',
  });
  return found;
}
