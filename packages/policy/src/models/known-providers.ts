/**
 * The providers of models and the makers of models that Mandate knows by name. A provider takes the call and sends
 * the bill (`azure`, `openrouter`). A maker trained the model (`meta`, `qwen`). Many are both.
 *
 * Sources of the names: the provider names of LiteLLM, LangChain, the Vercel AI SDK, pydantic-ai, the OpenTelemetry
 * conventions for generative AI, and the lists of `@pydantic/genai-prices` (checked against it in
 * known-providers.test.ts).
 */
import { CAPS, nameFault } from '@mandate/schemas/core';

export type Provider = {
  /** The normal form of the provider's name. */
  readonly id: string;
  /** All its names, in lower case and with `-` for `_`. The first is `id`. */
  readonly names: readonly string[];
  /** Its price list in `@pydantic/genai-prices`; null if that package has none. */
  readonly priceList: string | null;
  /**
   * The larger provider of which this provider is a part. If the larger provider is denied, this provider is denied
   * too.
   */
  readonly partOf: string | null;
};

type Row = readonly [names: string, priceList?: string | null, partOf?: string];

const ROWS: readonly Row[] = [
  ['anthropic', 'anthropic'],
  ['openai open-ai text-completion-openai', 'openai'],
  [
    'azure azure-openai azureopenai azure-ai azure-ai-studio azure-ai-foundry azure-foundry azure.ai.openai azure.ai.inference azure-ai-inference microsoft-azure microsoft-foundry',
    'azure',
  ],
  ['aws bedrock aws-bedrock amazon-bedrock bedrock-converse aws.bedrock amazon', 'aws'],
  [
    'google gemini google-genai google-gla google-gemini google-ai google-ai-studio googleai google.generative-ai google-generative-ai gcp.gemini gcp.gen-ai generativelanguage',
    'google',
  ],
  [
    'google-vertex vertex vertexai vertex-ai vertex-ai-beta google-vertexai google-vertex-ai google.vertex google-anthropic-vertex gcp.vertex-ai',
    'google',
    'google',
  ],
  ['mistral mistralai mistral-ai', 'mistral'],
  ['cohere cohere-chat', 'cohere'],
  ['deepseek deepseek-ai', 'deepseek'],
  ['x-ai xai x.ai', 'x-ai'],
  ['groq', 'groq'],
  ['openrouter open-router', 'openrouter'],
  ['together together-ai togetherai togethercomputer', 'together'],
  ['fireworks fireworks-ai fireworksai', 'fireworks'],
  ['perplexity perplexity-ai pplx', 'perplexity'],
  ['cerebras', 'cerebras'],
  ['cloudflare workers-ai cloudflare-workers-ai', 'cloudflare'],
  ['github-copilot copilot', 'github-copilot'],
  ['github github-models'],
  ['moonshotai moonshot moonshot-ai', 'moonshotai'],
  ['minimax minimaxai', 'minimax'],
  ['zai z-ai z.ai zai-org', 'zai'],
  ['zhipuai zhipu zhipu-ai bigmodel', 'zhipuai'],
  ['novita novita-ai', 'novita'],
  ['ovhcloud ovh', 'ovhcloud'],
  ['voyageai voyage voyage-ai', 'voyageai'],
  ['baseten', 'baseten'],
  ['avian', 'avian'],
  ['arcee arcee-ai', 'arcee'],
  ['doubleword', 'doubleword'],
  ['cursor', 'cursor'],
  ['modal', 'modal'],
  ['quicksilverpro', 'quicksilverpro'],
  ['typesafe', 'typesafe'],
  ['huggingface hugging-face hf'],
  ['huggingface-cerebras', 'huggingface_cerebras', 'huggingface'],
  ['huggingface-fireworks-ai', 'huggingface_fireworks-ai', 'huggingface'],
  ['huggingface-groq', 'huggingface_groq', 'huggingface'],
  ['huggingface-hyperbolic', 'huggingface_hyperbolic', 'huggingface'],
  ['huggingface-nebius', 'huggingface_nebius', 'huggingface'],
  ['huggingface-novita', 'huggingface_novita', 'huggingface'],
  ['huggingface-nscale', 'huggingface_nscale', 'huggingface'],
  ['huggingface-ovhcloud', 'huggingface_ovhcloud', 'huggingface'],
  ['huggingface-publicai', 'huggingface_publicai', 'huggingface'],
  ['huggingface-sambanova', 'huggingface_sambanova', 'huggingface'],
  ['huggingface-together', 'huggingface_together', 'huggingface'],
  ['litellm litellm-proxy'],
  ['vercel vercel-ai-gateway ai-gateway'],
  ['portkey'],
  ['databricks'],
  ['watsonx ibm ibm-watsonx ibm.watsonx.ai'],
  ['nvidia nvidia-nim nim'],
  ['sagemaker'],
  ['snowflake'],
  ['replicate'],
  ['deepinfra'],
  ['nebius'],
  ['sambanova'],
  ['hyperbolic'],
  ['nscale'],
  ['ai21 ai21labs ai21-labs'],
  ['dashscope alibaba'],
  ['ollama ollama-chat'],
  ['vllm hosted-vllm'],
  ['lmstudio lm-studio'],
];

export const PROVIDERS: readonly Provider[] = ROWS.map(([names, priceList = null, partOf = null]) => {
  const all = names.split(' ');
  return { id: all[0] as string, names: all, priceList, partOf };
});

const byName = new Map(PROVIDERS.flatMap((provider) => provider.names.map((name) => [name, provider])));

/**
 * For each maker, its names in paths, separated by blanks. The first name is the normal form. `begins` matches the
 * beginning of the names of the maker's models.
 */
const MAKERS: readonly (readonly [names: string, begins?: RegExp])[] = [
  ['openai', /^(?:ft:)?(?:gpt-|gpt3|chatgpt-|o[1-9](?![0-9a-z])|text-embedding-|whisper-|dall-e-|codex-)/],
  ['anthropic', /^claude/],
  ['google', /^(?:gemini|gemma|palm-|text-bison|chat-bison)/],
  ['meta meta-llama facebook', /^(?:meta-)?llama/],
  [
    'mistral mistralai mistral-ai',
    /^(?:(?:mi|code|dev|magi|mini)stral|mixtral|pixtral|voxtral|open-mi[sx]tral)/,
  ],
  ['deepseek deepseek-ai', /^deepseek/],
  ['x-ai xai', /^grok/],
  ['qwen', /^(?:qwen|qwq|qvq)/],
  ['cohere', /^(?:command|c4ai-|embed-(?:english|multilingual)|rerank-)/],
  ['moonshotai moonshot', /^(?:kimi|moonshot)/],
  ['minimax minimaxai', /^minimax/],
  ['zai z-ai zai-org thudm', /^glm-/],
  ['zhipuai zhipu'],
  ['amazon', /^(?:nova-|titan-)/],
  ['microsoft', /^phi-/],
  ['nvidia', /^nemotron/],
  ['ai21 ai21labs', /^jamba/],
  ['perplexity', /^sonar/],
  ['writer', /^palmyra/],
  ['stability'],
];

const makers = new Map(
  MAKERS.flatMap(([names]) => names.split(' ').map((name) => [name, names.split(' ')[0] as string])),
);

/** Returns a text in lower case, with compatibility forms of letters replaced: `ＧＰＴ-4o` becomes `gpt-4o`. */
export function folded(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const forms = [text.normalize('NFKC').toLowerCase(), text.toLowerCase()];
  return forms.find((form) => form.length <= CAPS.idUnits && nameFault(form) === null) ?? text;
}

const ASCII = /^[ -~]*$/;

/** Returns the form in which names of providers and makers are compared. */
export function foldedName(text: string): string {
  return folded(text).replaceAll('_', '-');
}

/** Some libraries add the kind of call to the provider's name: `openai.responses`, `google.vertex.chat`. */
const KIND_OF_CALL = /\.(?:chat|completions?|responses|messages|embeddings?|image|speech|transcription)$/;

/** @param name the result of `foldedName` */
export function providerNamed(name: string): Provider | null {
  return byName.get(name) ?? byName.get(name.replace(KIND_OF_CALL, '')) ?? null;
}

/** Returns all names of a maker. Empty if no maker has this name. */
export function makerNames(maker: string): readonly string[] {
  return MAKERS.find(([names]) => names.split(' ')[0] === maker)?.[0].split(' ') ?? [];
}

export function makerNamed(name: string): string | null {
  return makers.get(name) ?? null;
}

/** Returns the maker of a model, found by the beginning of the model's name. Null if no known maker matches. */
export function makerOf(model: string): string | null {
  return MAKERS.find(([, begins]) => begins?.test(model))?.[0].split(' ')[0] ?? null;
}
