import { HttpProblem } from '@mandate/server';
import type { ModelsDocument } from '../models/models-document.ts';
import type { ProtocolName } from '../models/models-shape.ts';
import { routeModel, type Target } from '../models/route-model.ts';

/**
 * Returns the upstreams that may answer.
 *
 * @throws HttpProblem 400 VALIDATION_FAILED, 404 MODEL_NOT_SERVED
 */
export function findRoute(
  models: ModelsDocument,
  protocol: ProtocolName,
  model: unknown,
): readonly [Target, ...Target[]] {
  if (typeof model !== 'string' || model === '') {
    throw new HttpProblem(400, 'VALIDATION_FAILED', 'the request names no model', {
      remedy: 'State the field `model`.',
    });
  }
  const route = routeModel(models, protocol, model);
  if (route.found) return route.targets;
  const { servedBy } = route;
  throw new HttpProblem(
    404,
    'MODEL_NOT_SERVED',
    `this gateway serves no model ${JSON.stringify(model)} here`,
    {
      remedy:
        servedBy === null
          ? `GET /${protocol}/v1/models lists the models. The operator can add it to models.yaml.`
          : `Call it at /${servedBy}/v1, with the protocol of ${servedBy}.`,
    },
  );
}
