/**
 * @mandate/model-gateway: answers calls of language models in the protocols of OpenAI and Anthropic. A client changes
 * its base URL, and uses a key of Mandate. Each call is an action: the plane decides it with the key of the caller, the
 * gateway forwards it to an upstream byte for byte, and reports the usage that came back, also if the client leaves.
 *
 * What it promises: an upstream gets no call that was not allowed. The keys of upstreams leave the gateway only in
 * requests to their upstreams. Every allowed call is settled once. A refusal has the shape of the provider's own errors.
 */
export { modelGatewaySettings } from './config.ts';
export { type ModelsFile, openModelsFile } from './models/models-file.ts';
export { openModelGateway } from './open-model-gateway.ts';
