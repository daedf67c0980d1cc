/**
 * The file `models.yaml`, which people edit while the gateway runs. It is read again after an edit of the file, or of a
 * file with a key. After a bad edit the last good document stays in force. Without a file no model can be called.
 */
import { describeFault } from '@mandate/policy/documents';
import { type FollowedDocument, followDocument, type Logger, MandateError } from '@mandate/runtime';
import { secretReader } from '@mandate/runtime/secret-source';
import { loadModels, type ModelsDocument, NO_MODELS } from './models-document.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export type ModelsFile = Pick<FollowedDocument, 'readiness' | 'look' | 'stop'> & {
  models(): ModelsDocument;
};

/** Opens the file that the settings name. Otherwise opens `models.yaml` of the data folder, which may be missing. */
export function openModelsFile(
  { MODELS_CONFIG_PATH: named }: { readonly MODELS_CONFIG_PATH?: string | undefined },
  { folder, env, log }: { folder: { models: string }; env: Environment; log: Logger },
): ModelsFile {
  const path = named ?? folder.models;
  let models = NO_MODELS;
  const { readiness, look, stop } = followDocument({
    path,
    mayBeMissing: named === undefined,
    name: 'models',
    log,
    parse: (bytes, readText) => loadModels(bytes, secretReader(env, readText)),
    onGood(read, isFirst) {
      models = read.document;
      if (isFirst) return;
      const names = { models: models.models.size, upstreams: models.upstreams.size };
      log.warn({ path, ...names }, 'the document of models was edited and is in force');
    },
    onBadStart(faults) {
      const lines = faults.map((fault) => describeFault(path, fault));
      throw new MandateError('MODELS_INVALID', `the document of models is bad\n${lines.join('\n')}`, {
        remedy: 'Correct the file at these places. docs/model-gateway.md has every field.',
      });
    },
  });
  return { models: () => models, readiness, look, stop };
}
