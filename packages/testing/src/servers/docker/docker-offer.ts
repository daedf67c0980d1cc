/**
 * Servers in containers, for tests on a machine where Docker or its like answers. The images are those of
 * docker-compose.yml.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Offer, ServerKind } from '../offer.ts';

/** Undefined where no engine answers, or where it neither has the image nor gets it in time. */
export async function dockerOffer(kind: ServerKind): Promise<Offer | undefined> {
  if (!mayHaveEngine()) return undefined;
  // Loaded here: it brings 120 packages with it, which a machine without Docker never touches.
  const { containerOffer } = await import('./container-offer.ts');
  return containerOffer(kind);
}

/** Whether any place is there that testcontainers would look at; a look at files costs nothing. */
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
