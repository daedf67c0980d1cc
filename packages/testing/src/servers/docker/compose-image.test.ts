import { expect, it } from 'vitest';
import { SERVER_KINDS } from '../offer.ts';
import { composeImage } from './compose-image.ts';

it('docker-compose.yml has an image with a version for every server of the tests', async () => {
  const images = await Promise.all(SERVER_KINDS.map(composeImage));
  expect(images).toEqual([
    expect.stringMatching(/^redis:\d/),
    expect.stringMatching(/^apache\/kafka:\d/),
    expect.stringMatching(/^clickhouse\/clickhouse-server:\d/),
  ]);
});
