import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerKind } from '../offer.ts';

const COMPOSE_FILE = join(import.meta.dirname, '../../../../../docker-compose.yml');

const REPOSITORIES: Readonly<Record<ServerKind, string>> = {
  redis: 'redis',
  kafka: 'apache/kafka',
  clickhouse: 'clickhouse/clickhouse-server',
};

/**
 * Returns an image such as `redis:7.2-bookworm`. The version is read from docker-compose.yml, so that it is written
 * in one place only.
 */
export async function composeImage(kind: ServerKind): Promise<string> {
  const image = new RegExp(`^ *image: (${REPOSITORIES[kind]}:\\S+)$`, 'm').exec(
    await readFile(COMPOSE_FILE, 'utf8'),
  )?.[1];
  if (image === undefined) throw new Error(`docker-compose.yml has no image ${REPOSITORIES[kind]}`);
  return image;
}
