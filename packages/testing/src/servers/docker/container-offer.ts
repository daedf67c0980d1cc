/** A server in a container, started with testcontainers. Its reaper removes the container if the run is killed. */
import { once } from 'node:events';
import { type ContainerRuntimeClient, getContainerRuntimeClient, getReaper, ImageName } from 'testcontainers';
import type { Offer, ServerKind } from '../offer.ts';
import { composeImage } from './compose-image.ts';
import { CONTAINERS } from './containers.ts';

const ANSWERED_WITHIN_MS = 5_000;
/** For an image that has to be fetched first. What comes later is there for the next run. */
const PULLED_WITHIN_MS = 120_000;

/**
 * Undefined where no engine answers, or where it neither has the image nor gets it in time.
 * @param until aborts when the engine has had time enough to answer
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

/** Asks again after the pull: that ends in the same way whether or not it has the image. */
async function has(engine: ContainerRuntimeClient, name: string): Promise<boolean> {
  const image = ImageName.fromString(name);
  await engine.image.pull(image);
  await engine.image.inspect(image);
  return true;
}

function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  return unlessAborted(AbortSignal.timeout(PULLED_WITHIN_MS), work);
}

/** Undefined when the work fails, or the signal comes first. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T | undefined> {
  const aborted = once(signal, 'abort').then(() => undefined);
  return Promise.race([work.catch(() => undefined), aborted]);
}
