import { answerProblemsAs, type HttpServer } from '@mandate/server';
import type { ProtocolName } from '../models/models-shape.ts';
import { errorBody, retryHeaders } from '../refusals/provider-errors.ts';

/** From now on, all refusals of this plugin have the shape of the provider's own errors. */
export function answerAsProvider(server: HttpServer, protocol: ProtocolName): void {
  answerProblemsAs(server, (problem, request) => ({
    headers: retryHeaders(problem),
    body: errorBody(protocol, problem, request.id),
  }));
}
