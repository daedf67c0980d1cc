/**
 * Offers servers in containers, for tests on a machine with Docker or a similar engine. docker-compose.yml names the
 * images.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Offer, ServerKind } from '../offer.ts';

/**
 * Returns a server that can be started in a container. Undefined if no engine answers, or if the engine neither has
 * the image nor pulls it in time.
 */
export async function dockerOffer(kind: ServerKind): Promise<Offer | undefined> {
  if (!mayHaveEngine()) return undefined;
  // Imported only here. It loads 120 packages, and a machine without Docker does not need them.
  const { containerOffer } = await import('./container-offer.ts');
  return containerOffer(kind);
}

/** True if a path exists where testcontainers would look for an engine. This check is cheap. */
function mayHaveEngine(): boolean {
  const { DOCKER_HOST, XDG_RUNTIME_DIR } = process.env;
  if (DOCKER_HOST !== undefined && DOCKER_HOST !== '') return true;
  const home = homedir();
  return [
    '/var/run/docker.sock',
    ...(XDG_RUNTIME_DIR === undefined ? [] : [join(XDG_RUNTIME_DIR, 'docker.sock')]),
    join(home, '.docker/run/docker.sock'),
    join(home, '.docker/desktop/docker.sock'),
    join(home, '.testcontainers.properties'),
    '//./pipe/docker_engine',
  ].some((place) => existsSync(place));
}
