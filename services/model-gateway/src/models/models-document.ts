/**
 * The document `models.yaml`: the upstreams that answer calls of models, and which upstream serves which model. It
 * never contains a key of an upstream. It names the environment variable or the file that has the key.
 */

import { type DocumentFault, type DocumentSource, readDocuments } from '@mandate/policy/documents';
import { compileModelPrices } from '@mandate/policy/parts';
import type { ReadSecret } from '@mandate/runtime/secret-source';
import type { ModelPriceDocument, TokenPrice } from '@mandate/schemas';
import { type Model, modelsDocument, PROTOCOLS, type Upstream, type WrittenModels } from './models-shape.ts';
import { filledUpstream } from './upstream-secrets.ts';

const MOST_UPSTREAMS = 1_000;
const MOST_MODELS = 10_000;
export type ModelsDocument = {
  upstreams: ReadonlyMap<string, Upstream>;
  models: ReadonlyMap<string, Model>;
  defaults: WrittenModels['defaults'];
};

export type LoadedModels =
  | { ok: true; document: ModelsDocument }
  | { ok: false; faults: readonly DocumentFault[] };

/** Without a file no model can be called. */
export const NO_MODELS: ModelsDocument = { upstreams: new Map(), models: new Map(), defaults: {} };

export function loadModels(source: DocumentSource, readSecret: ReadSecret): LoadedModels {
  const found: ModelsDocument[] = [];
  const faults = readDocuments(
    source,
    { schema: modelsDocument, what: 'document of models' },
    (written, say) => {
      if (found.length > 0) say([], 'the file holds more than one document');
      const upstreams = Object.entries(written.upstreams);
      const models = Object.entries(written.models);
      if (upstreams.length > MOST_UPSTREAMS) say(['upstreams'], `more than ${MOST_UPSTREAMS} upstreams`);
      if (models.length > MOST_MODELS) say(['models'], `more than ${MOST_MODELS} models`);
      for (const { path, message } of faultsOfNames(written)) say(path, message);
      const filled = upstreams.map(([upstreamName, one]): [string, Upstream] => {
        const fault = (message: string) => say(['upstreams', upstreamName, 'apiKey'], message);
        return [upstreamName, filledUpstream(upstreamName, one, readSecret, fault)];
      });
      found.push({
        upstreams: new Map(filled),
        models: new Map(
          models.map(([name, { price, ...one }]) => [name, { ...one, price: tokenPriceOf(price) }]),
        ),
        defaults: written.defaults,
      });
    },
  );
  const [document] = found;
  if (faults.length > 0 || document === undefined) return { ok: false, faults };
  return { ok: true, document };
}

function tokenPriceOf(price: ModelPriceDocument | undefined): TokenPrice | null {
  if (price === undefined) return null;
  const [[, compiled] = []] = compileModelPrices({ model: price }).prices.all;
  return compiled ?? null;
}

type NameFault = { path: string[]; message: string };

/** Returns the names that lead nowhere, to another protocol, or in a circle. */
function faultsOfNames({ upstreams, models, defaults }: WrittenModels): NameFault[] {
  const faults: NameFault[] = [];
  const protocolOf = (upstreamName: string) =>
    Object.hasOwn(upstreams, upstreamName) ? upstreams[upstreamName]?.protocol : undefined;
  for (const [modelName, one] of Object.entries(models)) {
    const path = ['models', modelName];
    const protocol = protocolOf(one.upstream);
    if (protocol === undefined)
      faults.push({ path: [...path, 'upstream'], message: `there is no upstream "${one.upstream}"` });
    const fallback = fallbackFault(modelName, models, (other) => protocolOf(other) === protocol);
    if (fallback !== null) faults.push({ path: [...path, 'fallback'], message: fallback });
  }
  for (const protocol of PROTOCOLS) {
    const named = defaults[protocol];
    if (named !== undefined && protocolOf(named) !== protocol)
      faults.push({
        path: ['defaults', protocol],
        message: `there is no upstream "${named}" with the protocol ${protocol}`,
      });
  }
  return faults;
}

function fallbackFault(
  modelName: string,
  models: WrittenModels['models'],
  hasSameProtocol: (upstreamName: string) => boolean,
): string | null {
  const seen = new Set([modelName]);
  for (let next = models[modelName]?.fallback; next !== undefined; ) {
    const entry = Object.hasOwn(models, next) ? models[next] : undefined;
    if (entry === undefined) return `there is no model "${next}"`;
    if (seen.has(next)) return `leads back to "${next}"`;
    if (!hasSameProtocol(entry.upstream)) return `"${next}" has an upstream of another protocol`;
    seen.add(next);
    next = entry.fallback;
  }
  return null;
}
