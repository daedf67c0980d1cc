/**
 * Starts a server in a container with testcontainers. If the test run is killed, testcontainers removes the
 * container.
 */
import { once } from 'node:events';
import { type ContainerRuntimeClient, getContainerRuntimeClient, getReaper, ImageName } from 'testcontainers';
import type { Offer, ServerKind } from '../offer.ts';
import { composeImage } from './compose-image.ts';
import { CONTAINERS } from './containers.ts';

const ANSWERED_WITHIN_MS = 5_000;
/** How long pulling an image may take. A pull that takes longer continues, and helps the next run. */
const PULLED_WITHIN_MS = 120_000;

/**
 * Returns a server that can be started in a container. Undefined if no engine answers, or if the engine neither has
 * the image nor pulls it in time.
 * @param until aborts when the engine has had enough time to answer
 */
export async function containerOffer(
  kind: ServerKind,
  until = AbortSignal.timeout(ANSWERED_WITHIN_MS),
): Promise<Offer | undefined> {
  const engine = await unlessAborted(until, getContainerRuntimeClient());
  if (engine === undefined) return undefined;
  const image = await composeImage(kind);
  if (!(await inTime(has(engine, image)))) return undefined;
  if ((await inTime(getReaper(engine))) === undefined) return undefined;
  const { host, serverVersion } = engine.info.containerRuntime;
  return { what: `Docker ${serverVersion}, image ${image}`, start: () => CONTAINERS[kind](image, host) };
}

/** True if the engine has the image after a pull. The result of the pull itself does not show this. */
async function has(engine: ContainerRuntimeClient, name: string): Promise<boolean> {
  const image = ImageName.fromString(name);
  await engine.image.pull(image);
  await engine.image.inspect(image);
  return true;
}

function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  return unlessAborted(AbortSignal.timeout(PULLED_WITHIN_MS), work);
}

/** Returns undefined if the work fails, or if the signal aborts before the end of the work. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T | undefined> {
  const aborted = once(signal, 'abort').then(() => undefined);
  return Promise.race([work.catch(() => undefined), aborted]);
}
