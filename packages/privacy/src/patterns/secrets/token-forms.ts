/**
 * The forms of credentials that vendors mark, with one row for each form. A new form needs only a new row here.
 *
 * A row needs a mark that ordinary text does not contain, and the shortest text that follows the mark in every
 * credential of the kind. The rest of the value is redacted as well (./whole-value.ts), so the row also finds a
 * longer credential of a later version. `source` names where the form was read in 2026: a page of the vendor, a rule
 * of gitleaks (config/gitleaks.toml), trufflehog (pkg/detectors) or secretlint, or `public code` that uses such
 * credentials.
 */
export type TokenForm = {
  readonly kind: string;
  /** The beginning of the credential, or a text within it if `before` is given. Case-sensitive. */
  readonly mark: string;
  /** The shortest text that follows the mark, as the source of a regular expression of limited length. */
  readonly rest: string;
  /** The shortest text directly before the mark, also as a regular expression. */
  readonly before?: string;
  readonly source: string;
};

const HEX = (units: number) => `[0-9a-fA-F]{${units}}`;
const ALNUM = (units: number) => `[0-9A-Za-z]{${units}}`;
const WORD = (units: number) => `[\\w-]{${units}}`;
const BASE64 = (units: number) => `[\\w+/=-]{${units}}`;
const UUID = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}';
/** Returns a form that requires a digit among its first units, because a long word of letters is not a token. */
const WITH_DIGIT = (form: string, units: number) => `(?=[\\w-]{0,${units - 1}}\\d)${form}`;

type Row = readonly [kind: string, mark: string, rest: string, source: string, before?: string];

const MANDATE: readonly Row[] = [
  ['API key of Mandate', 'sk-mdt_', `${ALNUM(12)}_\\w`, 'docs/operations.md, Keys'],
  ['API key of Mandate, first form', 'mdt_', `${ALNUM(12)}_\\w`, 'docs/operations.md, Keys'],
];

const MODELS: readonly Row[] = [
  ['Anthropic API key', 'sk-ant-', WORD(12), 'gitleaks anthropic-api-key, anthropic-admin-api-key'],
  ['OpenAI project key', 'sk-proj-', WORD(16), 'gitleaks openai-api-key'],
  ['OpenAI service account key', 'sk-svcacct-', WORD(16), 'gitleaks openai-api-key'],
  ['OpenAI admin key', 'sk-admin-', WORD(16), 'gitleaks openai-api-key'],
  ['OpenRouter API key', 'sk-or-v1-', HEX(16), 'trufflehog openrouter'],
  ['Langfuse secret key', 'sk-lf-', `${HEX(8)}-`, 'trufflehog langfuse'],
  ['Langfuse public key', 'pk-lf-', `${HEX(8)}-`, 'trufflehog langfuse'],
  ['Helicone API key', 'sk-helicone-', WORD(12), 'public code'],
  [
    'Secret key of OpenAI, DeepSeek, Moonshot, LiteLLM and others',
    'sk-',
    `(?:[a-z]{2,12}-)?${WITH_DIGIT(ALNUM(20), 20)}`,
    'gitleaks openai-api-key; trufflehog deepseek; public code',
  ],
  ['xAI API key', 'xai-', WITH_DIGIT('\\w{40}', 40), 'trufflehog xai'],
  ['Perplexity API key', 'pplx-', ALNUM(32), 'gitleaks perplexity-api-key'],
  ['Groq API key', 'gsk_', ALNUM(32), 'trufflehog groq; secretlint groq'],
  ['Cerebras API key', 'csk-', WITH_DIGIT(ALNUM(32), 32), 'public code'],
  ['Hugging Face token', 'hf_', '[A-Za-z]{30}', 'gitleaks huggingface-access-token'],
  [
    'Hugging Face organization token',
    'api_org_',
    '[A-Za-z]{30}',
    'gitleaks huggingface-organization-api-token',
  ],
  ['Replicate API token', 'r8_', WORD(32), 'trufflehog replicate'],
  ['NVIDIA API key', 'nvapi-', WORD(40), 'trufflehog nvapi'],
  ['Together API key', 'tgp_v1_', WORD(32), 'public code'],
  ['Pinecone API key', 'pcsk_', '\\w{40}', 'trufflehog pinecone'],
  ['Fireworks API key', 'fw_', WITH_DIGIT(`${ALNUM(22)}`, 22), 'public code'],
  ['Tavily API key', 'tvly-', WITH_DIGIT(WORD(20), 20), 'public code'],
  ['ElevenLabs API key', 'sk_', HEX(40), 'trufflehog elevenlabs'],
  ['LangSmith key', 'lsv2_', `(?:pt|sk)_${HEX(16)}`, 'trufflehog langsmith'],
  ['Weights & Biases key', 'wandb_v1_', WORD(32), 'public code'],
  ['Photoroom API key', 'sk_pr_', WORD(32), 'trufflehog photoroom'],
];

const CLOUDS: readonly Row[] = [
  ...['AKIA', 'ASIA', 'ABIA', 'ACCA', 'AGPA', 'AIDA', 'AROA', 'AIPA', 'ANPA', 'ANVA'].map(
    (mark): Row => [
      'AWS access key id',
      mark,
      '[A-Z0-9]{16}(?![A-Za-z0-9])',
      'gitleaks aws-access-token; secretlint aws',
    ],
  ),
  ['AWS Bedrock key', 'ABSK', BASE64(60), 'gitleaks aws-amazon-bedrock-api-key-long-lived'],
  [
    'AWS Bedrock short key',
    'bedrock-api-key-',
    BASE64(20),
    'gitleaks aws-amazon-bedrock-api-key-short-lived',
  ],
  ['Google API key', 'AIza', WORD(30), 'gitleaks gcp-api-key; trufflehog googlegemini'],
  ['Google OAuth access token', 'ya29.', WORD(10), 'trufflehog googleoauth2'],
  ['Google OAuth client secret', 'GOCSPX-', WORD(20), 'public code'],
  ['Google OAuth refresh token', '1//0', WORD(24), 'public code'],
  ['Google HMAC key', 'GOOG1E', '[A-Z0-9]{30}', 'public code'],
  ['Azure AD client secret', 'Q~', '[\\w.~-]{30}', 'gitleaks azure-ad-client-secret', '[\\w.~]{3}\\d'],
  [
    'Azure key with a fixed signature',
    'JQQJ9',
    '[9D][0-9A-Za-z]{10}',
    'github.com/microsoft/security-utilities',
    ALNUM(40),
  ],
  ...['+ASt', 'ACDb', '+ABa'].map(
    (mark): Row => [
      'Azure key of 64 bytes (Storage, Cosmos DB, Batch)',
      mark,
      `${BASE64(6)}==`,
      'github.com/microsoft/security-utilities',
      BASE64(76),
    ],
  ),
  ...['+ASb', '+AEh', '+ARm', 'AIoT'].map(
    (mark): Row => [
      'Azure key of 32 bytes (Service Bus, Event Hubs, Relay, IoT Hub)',
      mark,
      `${BASE64(6)}=`,
      'github.com/microsoft/security-utilities',
      BASE64(33),
    ],
  ),
  [
    'Azure DevOps token',
    'AZDO',
    ALNUM(4),
    'learn.microsoft.com/purview, sit-defn-azure-devops-personal-access-token',
    ALNUM(60),
  ],
  ['DigitalOcean personal token', 'dop_v1_', HEX(32), 'gitleaks digitalocean-pat'],
  ['DigitalOcean OAuth token', 'doo_v1_', HEX(32), 'gitleaks digitalocean-access-token'],
  ['DigitalOcean refresh token', 'dor_v1_', HEX(32), 'gitleaks digitalocean-refresh-token'],
  ['Alibaba access key id', 'LTAI', ALNUM(20), 'gitleaks alibaba-access-key-id'],
  ['Cloudflare global key', 'cfk_', ALNUM(40), 'developers.cloudflare.com, token formats'],
  ['Cloudflare user token', 'cfut_', ALNUM(40), 'developers.cloudflare.com, token formats'],
  ['Cloudflare account token', 'cfat_', ALNUM(40), 'developers.cloudflare.com, token formats'],
  ['Cloudflare origin CA key', 'v1.0-', `${HEX(24)}-${HEX(60)}`, 'gitleaks cloudflare-origin-ca-key'],
  ['Heroku API key', 'HRKU-', WORD(40), 'gitleaks heroku-api-key-v2'],
  ...['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'].map(
    (mark): Row => [
      'Vercel token',
      mark,
      ALNUM(20),
      'vercel.com/changelog, new token formats; secretlint vercel',
    ],
  ),
  ['Netlify token', 'nfp_', '\\w{36}', 'trufflehog netlify'],
  ['Fly.io token', 'fo1_', WORD(40), 'gitleaks flyio-access-token'],
  ['Fly.io macaroon', 'fm1r_', BASE64(60), 'gitleaks flyio-access-token'],
  ['Fly.io macaroon', 'fm1a_', BASE64(60), 'gitleaks flyio-access-token'],
  ['Fly.io macaroon', 'fm2_', BASE64(60), 'gitleaks flyio-access-token'],
  ['Deno Deploy token', 'ddp_', ALNUM(36), 'trufflehog deno'],
  ['Deno Deploy token', 'ddw_', ALNUM(36), 'trufflehog deno'],
  ['Scalingo token', 'tk-us-', WORD(40), 'gitleaks scalingo-api-token'],
  ['OpenShift token', 'sha256~', WORD(40), 'gitleaks openshift-user-token'],
  ['Yandex API key', 'AQVN', WORD(35), 'gitleaks yandex-api-key'],
  ['Tailscale key', 'tskey-', '[a-z]{2,20}-\\w{8}', 'trufflehog tailscale'],
];

const DATA: readonly Row[] = [
  ['Databricks token', 'dapi', HEX(32), 'gitleaks databricks-api-token'],
  ['Supabase personal token', 'sbp_', WITH_DIGIT(ALNUM(36), 36), 'trufflehog supabasetoken'],
  ['Supabase secret key', 'sb_secret_', WORD(20), 'public code'],
  ['PlanetScale token', 'pscale_tkn_', '[\\w.=-]{20}', 'gitleaks planetscale-api-token'],
  ['PlanetScale OAuth token', 'pscale_oauth_', '[\\w.=-]{20}', 'gitleaks planetscale-oauth-token'],
  ['PlanetScale password', 'pscale_pw_', '[\\w.=-]{20}', 'gitleaks planetscale-password'],
  ['Neon API key', 'napi_', ALNUM(40), 'public code'],
  [
    'ClickHouse Cloud secret',
    '4b1d',
    WITH_DIGIT(`${ALNUM(38)}(?![A-Za-z0-9])`, 38),
    'gitleaks clickhouse-cloud-api-secret-key',
  ],
  ['Airtable token', 'pat', `${ALNUM(14)}\\.${HEX(40)}`, 'gitleaks airtable-personnal-access-token'],
  ['Contentful token', 'CFPAT-', WORD(40), 'trufflehog contentfulpersonalaccesstoken'],
  ['MaxMind licence key', '_mmk', '', 'gitleaks maxmind-license-key', '\\w{6}_\\w{29}'],
];

const CODE: readonly Row[] = [
  ...['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map(
    (mark): Row => ['GitHub token', mark, '\\w{30}', 'gitleaks github-pat, github-oauth, github-app-token'],
  ),
  ['GitHub app installation token', 'ghs_', '\\d{1,20}_[\\w-]{20}', 'secretlint github'],
  ['GitHub fine-grained token', 'github_pat_', '\\w{22}', 'gitleaks github-fine-grained-pat'],
  ...[
    'glpat-',
    'glrt-',
    'gldt-',
    'glptt-',
    'glft-',
    'glimt-',
    'glagent-',
    'gloas-',
    'glsoat-',
    'glffct-',
    'glwt-',
  ].map((mark): Row => ['GitLab token', mark, WORD(20), 'gitleaks gitlab-*; public code']),
  ['GitLab job token', 'glcbt-', `\\w{1,5}_${WORD(20)}`, 'gitleaks gitlab-cicd-job-token'],
  ['GitLab runner registration token', 'GR1348941', WORD(20), 'gitleaks gitlab-rrt'],
  ['npm token', 'npm_', ALNUM(36), 'gitleaks npm-access-token'],
  ['PyPI token', 'pypi-', WORD(40), 'gitleaks pypi-upload-token'],
  ['RubyGems key', 'rubygems_', HEX(40), 'gitleaks rubygems-api-token'],
  ['crates.io token', 'cio', WITH_DIGIT(`${ALNUM(32)}(?![A-Za-z0-9])`, 32), 'public code'],
  ['NuGet key', 'oy2', WITH_DIGIT('[a-z0-9]{43}(?![A-Za-z0-9])', 43), 'trufflehog nugetapikey'],
  ['Clojars token', 'CLOJARS_', ALNUM(40), 'gitleaks clojars-api-token'],
  ['Docker Hub token', 'dckr_pat_', WORD(20), 'trufflehog dockerhub'],
  ['Docker Hub organization token', 'dckr_oat_', WORD(20), 'trufflehog dockerhub'],
  ['Artifactory key', 'AKCp', ALNUM(60), 'gitleaks artifactory-api-key'],
  ['Artifactory reference token', 'cmVmd', ALNUM(50), 'gitleaks artifactory-reference-token'],
  ['Terraform Cloud token', '.atlasv1.', WORD(40), 'gitleaks hashicorp-tf-api-token', ALNUM(14)],
  ['Pulumi token', 'pul-', HEX(40), 'gitleaks pulumi-api-token'],
  ['CircleCI token', 'CCIPAT_', '\\w{40}', 'trufflehog circleci'],
  ['CircleCI project token', 'CCIPRJ_', '\\w{40}', 'public code'],
  ['Buildkite token', 'bkua_', ALNUM(40), 'trufflehog buildkite'],
  [
    'Sourcegraph token',
    'sgp_',
    '(?:[0-9a-fA-F]{16}_|local_)?[0-9a-fA-F]{40}',
    'gitleaks sourcegraph-access-token',
  ],
  ['Octopus Deploy key', 'API-', '[A-Z0-9]{26}(?![A-Za-z0-9])', 'gitleaks octopus-deploy-api-key'],
  ['Harness token', 'pat.', `${WORD(22)}\\.${ALNUM(24)}\\.${ALNUM(20)}`, 'gitleaks harness-api-key'],
  ['Harness service token', 'sat.', `${WORD(22)}\\.${ALNUM(24)}\\.${ALNUM(20)}`, 'gitleaks harness-api-key'],
  ['Prefect key', 'pnu_', ALNUM(36), 'gitleaks prefect-api-token'],
  ['LaunchDarkly key', 'api-', UUID, 'trufflehog launchdarkly'],
  ['LaunchDarkly SDK key', 'sdk-', UUID, 'trufflehog launchdarkly'],
  ['Figma token', 'figd_', WORD(40), 'trufflehog figmapersonalaccesstoken'],
  ['Figma OAuth token', 'figo', '[rh]?_[\\w-]{40}', 'trufflehog figmapersonalaccesstoken'],
  ['Figma OAuth token', 'figu', '[rh]?_[\\w-]{40}', 'trufflehog figmapersonalaccesstoken'],
  ['Figma plan token', 'figp_', WORD(40), 'trufflehog figmapersonalaccesstoken'],
  ['ReadMe key', 'rdme_', ALNUM(40), 'gitleaks readme-api-token'],
];

const VAULTS: readonly Row[] = [
  ['Vault service token', 'hvs.', WORD(24), 'gitleaks vault-service-token'],
  ['Vault batch token', 'hvb.', WORD(24), 'gitleaks vault-batch-token'],
  ['Vault recovery token', 'hvr.', WORD(24), 'secretlint hashicorp-vault'],
  ...['ct', 'pt', 'sa', 'scim', 'audit'].map(
    (type): Row => ['Doppler token', `dp.${type}.`, ALNUM(30), 'trufflehog doppler'],
  ),
  ['Doppler service token', 'dp.st.', '(?:[a-z0-9_-]{2,35}\\.)?[0-9A-Za-z]{30}', 'trufflehog doppler'],
  ['1Password service account token', 'ops_eyJ', BASE64(60), 'gitleaks 1password-service-account-token'],
  ['1Password secret key', 'A3-', '[A-Z0-9]{6}-(?:[A-Z0-9]{5,6}-?){3}', 'gitleaks 1password-secret-key'],
  ['age secret key', 'AGE-SECRET-KEY-1', '[0-9A-Z]{40}', 'gitleaks age-secret-key'],
  ['age post-quantum secret key', 'AGE-SECRET-KEY-PQ-1', '[0-9A-Z]{40}', 'public code'],
];

const PEOPLE: readonly Row[] = [
  ['Slack token', 'xox', '[abdeoprs](?:\\.xox[bp])?-[\\w-]{10}', 'gitleaks slack-*; secretlint slack'],
  ['Slack app token', 'xapp-', '\\d-\\w{6}', 'gitleaks slack-app-token'],
  ['Slack workflow token', 'xwfp-', '[\\w-]{10}', 'public code'],
  [
    'Slack webhook',
    'hooks.slack.com/',
    '(?:services|workflows|triggers)/[\\w+/]{20}',
    'gitleaks slack-webhook-url',
  ],
  ['Teams webhook', '.webhook.office.com/webhookb2/', '[0-9a-fA-F-]{30}', 'gitleaks microsoft-teams-webhook'],
  ['Discord webhook', '/api/webhooks/', '\\d{17,20}/[\\w-]{40}', 'trufflehog discordwebhook'],
  ['Zapier webhook', 'hooks.zapier.com/hooks/catch/', '\\d{1,12}/\\w{5}', 'trufflehog zapierwebhook'],
  ['Linear API key', 'lin_api_', ALNUM(32), 'gitleaks linear-api-key'],
  ['Linear OAuth token', 'lin_oauth_', ALNUM(32), 'public code'],
  ['Notion token', 'ntn_', `\\d{8}${ALNUM(20)}`, 'gitleaks notion-api-token'],
  ['Notion token, first form', 'secret_', WITH_DIGIT(ALNUM(43), 43), 'trufflehog notion'],
  ['Atlassian token', 'ATATT3', BASE64(40), 'gitleaks atlassian-api-token'],
  ['Atlassian access token', 'ATCTT3', BASE64(40), 'trufflehog atlassian'],
  ['Bitbucket app password', 'ATBB', WITH_DIGIT(WORD(24), 24), 'trufflehog bitbucketapppassword'],
  ['Bitbucket Data Center token', 'BBDC-', '[\\w+/@-]{40,50}', 'trufflehog atlassiandatacenter'],
  ['HubSpot token', 'pat-', `[a-z]{2}\\d-${UUID}`, 'trufflehog hubspot_apikey'],
  ['ClickUp token', 'pk_', '\\d{5,9}_[0-9A-Z]{28}', 'trufflehog clickuppersonaltoken'],
  ['Asana token', '1/', '\\d{16,19}:[0-9A-Za-z]{32}', 'trufflehog asanapersonalaccesstoken'],
  [
    'Asana token, second form',
    '2/',
    '\\d{16,19}/\\d{16,19}:[0-9A-Za-z]{32}',
    'trufflehog asanapersonalaccesstoken',
  ],
  ['Typeform token', 'tfp_', '[\\w.=-]{40}', 'gitleaks typeform-api-token'],
  ['Frame.io token', 'fio-u-', '[\\w=-]{40}', 'gitleaks frameio-api-token'],
  ['Postman key', 'PMAK-', `${HEX(24)}-${HEX(24)}`, 'gitleaks postman-api-token'],
  ['Intra42 secret', 's-s4t2', `(?:ud|af)-${HEX(40)}`, 'gitleaks intra42-client-secret'],
  ['Facebook page token', 'EAA', `[A-Za-z0-9]{80}`, 'gitleaks facebook-page-access-token'],
  ['Dropbox token', 'sl.', '(?:u\\.)?[\\w=-]{100}', 'gitleaks dropbox-short-lived-api-token'],
];

const MAIL_AND_PHONE: readonly Row[] = [
  ['SendGrid key', 'SG.', '[\\w-]{4,128}\\.[\\w-]{4}', 'gitleaks sendgrid-api-token; secretlint sendgrid'],
  ['Twilio API key', 'SK', `${HEX(32)}(?![A-Za-z0-9])`, 'gitleaks twilio-api-key'],
  [
    'Telegram bot token',
    ':A',
    WORD(34),
    'gitleaks telegram-bot-api-token; trufflehog telegrambottoken',
    '[0-9]{7}',
  ],
  ['Mailgun key', 'key-', '[0-9a-z]{32}(?![A-Za-z0-9])', 'gitleaks mailgun-private-api-token'],
  ['Mailchimp key', '-us', '\\d{1,2}(?![\\w-])', 'gitleaks mailchimp-api-key', '[0-9a-f]{32}'],
  ['Brevo key', 'xkeysib-', HEX(40), 'gitleaks sendinblue-api-token'],
  ['Brevo SMTP key', 'xsmtpsib-', HEX(40), 'public code'],
  ['Resend key', 're_', '(?=\\w{0,35}\\d)[0-9A-Za-z]{6,10}_[0-9A-Za-z]{20}', 'public code'],
];

const PAYMENTS: readonly Row[] = [
  ...['sk_live_', 'sk_test_', 'sk_prod_', 'rk_live_', 'rk_test_', 'rk_prod_'].map(
    (mark): Row => ['Stripe key', mark, ALNUM(10), 'gitleaks stripe-access-token'],
  ),
  ['Webhook secret of Stripe, Svix and Mandate', 'whsec_', BASE64(16), 'docs/alerts.md; public code'],
  ['Shopify token', 'shp', '(?:at|ca|pa|ss|ua|rt)_[0-9a-fA-F]{24}', 'gitleaks shopify-*; secretlint shopify'],
  ['Square token', 'EAAA', WORD(56), 'gitleaks square-access-token'],
  ['Square access token', 'sq0', '[a-z]{3}-[\\w-]{20}', 'trufflehog squareapp'],
  ['Plaid token', 'access-', `(?:sandbox|development|production)-${UUID}`, 'gitleaks plaid-api-token'],
  ['Braintree token', 'access_token$', '(?:production|sandbox)\\$\\w{10}', 'public code'],
  ['Flutterwave key', 'FLWSECK', '(?:_TEST)?-[0-9A-Za-z]{12}', 'gitleaks flutterwave-secret-key'],
  ['Razorpay key', 'rzp_', '(?:live|test)_[0-9A-Za-z]{14}', 'trufflehog razorpay'],
  ['EasyPost key', 'EZAK', ALNUM(50), 'gitleaks easypost-api-token'],
  ['EasyPost test key', 'EZTK', ALNUM(50), 'gitleaks easypost-test-api-token'],
  ['Duffel token', 'duffel_', '(?:test|live)_[\\w=-]{40}', 'gitleaks duffel-api-token'],
  ['Shippo token', 'shippo_', `(?:live|test)_${HEX(40)}`, 'gitleaks shippo-api-token'],
];

const WATCHING: readonly Row[] = [
  ['Grafana service account token', 'glsa_', ALNUM(32), 'gitleaks grafana-service-account-token'],
  ['Grafana Cloud token', 'glc_', BASE64(32), 'gitleaks grafana-cloud-api-token'],
  ['Grafana key, first form', 'eyJrIjoi', BASE64(60), 'gitleaks grafana-api-key'],
  ['Sentry organization token', 'sntrys_', BASE64(40), 'gitleaks sentry-org-token'],
  ['Sentry user token', 'sntryu_', HEX(40), 'gitleaks sentry-user-token'],
  ['Sentry integration token', 'sntryi_', HEX(40), 'public code'],
  ['Sentry user application token', 'sntrya_', HEX(40), 'public code'],
  ['New Relic user key', 'NRAK-', ALNUM(27), 'gitleaks new-relic-user-api-key'],
  ['New Relic insert key', 'NRII-', WORD(25), 'gitleaks new-relic-insert-key'],
  ['New Relic browser key', 'NRJS-', HEX(19), 'gitleaks new-relic-browser-api-token'],
  ['New Relic licence key', 'FFFFNRAL', '', 'trufflehog newreliclicensekey', '[0-9a-fA-Fx]{32}'],
  ['PostHog personal key', 'phx_', '\\w{40}', 'trufflehog posthog'],
  ['Dynatrace token', 'dt0c01.', `${ALNUM(24)}\\.${ALNUM(40)}`, 'gitleaks dynatrace-api-token'],
  ['Dynatrace OAuth secret', 'dt0s', `\\d\\d\\.${ALNUM(8)}\\.${ALNUM(40)}`, 'public code'],
  ['Honeycomb ingest key', 'hcaik_', ALNUM(40), 'public code'],
  ['Axiom token', 'xaat-', UUID, 'public code'],
  ['Axiom personal token', 'xapt-', UUID, 'public code'],
  ['Infracost key', 'ico-', ALNUM(32), 'gitleaks infracost-api-token'],
];

export const TOKEN_FORMS: readonly TokenForm[] = [
  ...MANDATE,
  ...MODELS,
  ...CLOUDS,
  ...DATA,
  ...CODE,
  ...VAULTS,
  ...PEOPLE,
  ...MAIL_AND_PHONE,
  ...PAYMENTS,
  ...WATCHING,
].map(([kind, mark, rest, source, before]) => ({
  kind,
  mark,
  rest,
  source,
  ...(before !== undefined && { before }),
}));
