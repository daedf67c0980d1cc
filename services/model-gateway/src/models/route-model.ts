/** Finds the upstreams of a model: the one that its entry names, and those that serve it while that one is away. */
import type { TokenPrice } from '@mandate/schemas';
import type { ModelsDocument } from './models-document.ts';
import type { ProtocolName, Upstream } from './models-shape.ts';

/** An upstream, the name of the model there, and what the upstream bills. `price` is null if policies price the model. */
export type Target = { upstream: Upstream; model: string; price: TokenPrice | null };

export type Route =
  | { found: true; targets: readonly [Target, ...Target[]] }
  /** `servedBy`: the protocol that serves the model. Null: no protocol does. */
  | { found: false; servedBy: ProtocolName | null };

export function routeModel(
  { upstreams, models, defaults }: ModelsDocument,
  protocol: ProtocolName,
  model: string,
): Route {
  const entry = models.get(model);
  if (entry === undefined) {
    const upstream = upstreams.get(defaults[protocol] ?? '');
    return upstream === undefined
      ? { found: false, servedBy: null }
      : { found: true, targets: [{ upstream, model, price: null }] };
  }
  const targets: Target[] = [];
  for (let name: string | undefined = model; name !== undefined; ) {
    const one = models.get(name);
    const upstream = upstreams.get(one?.upstream ?? '');
    if (one === undefined || upstream === undefined) break;
    targets.push({ upstream, model: one.model ?? name, price: one.price });
    name = one.fallback;
  }
  const [first, ...others] = targets;
  if (first === undefined) return { found: false, servedBy: null };
  if (first.upstream.protocol !== protocol) return { found: false, servedBy: first.upstream.protocol };
  return { found: true, targets: [first, ...others] };
}

/** Returns the names of the entries that a protocol serves. */
export function modelsOf({ upstreams, models }: ModelsDocument, protocol: ProtocolName) {
  return [...models].flatMap(([name, { upstream }]) =>
    upstreams.get(upstream)?.protocol === protocol ? [{ name, upstream }] : [],
  );
}
