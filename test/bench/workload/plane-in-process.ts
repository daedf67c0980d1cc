/** A plane in this process, without quotas, and the key of its operator. */
import { openPlane, planeConfig } from '@mandate/plane';
import { silentLogger } from '@mandate/runtime';
import { limitNothing } from './limit-nothing.ts';
import { mandatesFileIn } from './mandate.ts';

export async function planeInProcess(
  folder: string,
): Promise<{ plane: Awaited<ReturnType<typeof openPlane>>; toPlane: { url: string; key: string } }> {
  const config = planeConfig.parse({
    PLANE_DATA_PATH: folder,
    PLANE_MANDATES_PATH: mandatesFileIn(folder),
    PLANE_PORT: 0,
  });
  const plane = await openPlane(config, silentLogger());
  const key = plane.firstKeys.find(({ name }) => name === 'operator')?.key ?? '';
  const toPlane = { url: plane.url, key };
  await limitNothing(toPlane);
  return { plane, toPlane };
}
