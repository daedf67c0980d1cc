import { type InstalledProgram, installedProgram } from '../installed-program.ts';

let found: Promise<InstalledProgram> | undefined;

/**
 * kcat: a Kafka client on librdkafka, like the clients of C, Python, Go and .NET.
 *
 * @throws MissingServerError if there is neither a kcat nor apt-get
 */
export function installedKcat(): Promise<InstalledProgram> {
  found ??= installedProgram({
    name: 'kcat',
    versionOption: '-V',
    // librdkafka may be built without zstd, and then does not count.
    versionIn: (told) => /Version (\d+\.\d+\.\d+) .*features=.*\bzstd\b/.exec(told)?.[1],
    orInstall: 'install kcat with zstd',
  });
  return found;
}
