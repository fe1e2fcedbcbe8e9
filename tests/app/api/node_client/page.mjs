// A page that calls local APIs by the clients of OpenAI and Anthropic, and posts what it got to its own server.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

const { allowed, other, key } = await (await fetch("/settings")).json();
const options = { apiKey: key, dangerouslyAllowBrowser: true, maxRetries: 0 };
const openai = new OpenAI({ ...options, baseURL: `${allowed}/v1`, organization: "org-1", project: "project-1" });
const claude = new Anthropic({ ...options, baseURL: allowed });
const messages = [{ role: "user", content: "What is a draft model?" }];
const asked = { model: "default", messages, max_tokens: 24, temperature: 0 };

async function streamed() {
  let text = "";
  for await (const chunk of await openai.chat.completions.create({ ...asked, stream: true })) {
    text += chunk.choices[0]?.delta?.content ?? "";
  }
  return text;
}

async function skippedFields() {
  const { response } = await openai.chat.completions.create({ ...asked, min_tokens: 5 }).withResponse();
  return response.headers.get("x-tandem-skipped");
}

async function refusal(client) {
  try {
    await client.chat.completions.create({ ...asked, temperature: -1 });
  } catch (error) {
    // An answer that the browser does not show has no status.
    return { status: error.status ?? null, param: error.param ?? null };
  }
}

async function found() {
  return {
    models: (await openai.models.list()).data.map(({ id }) => id),
    texts: {
      openai: (await openai.chat.completions.create(asked)).choices[0].message.content,
      openaiStream: await streamed(),
      responses: (await openai.responses.create({ model: "default", input: messages, max_output_tokens: 24, temperature: 0 })).output_text,
      anthropic: (await claude.messages.create(asked)).content[0].text,
      anthropicStream: (await claude.messages.stream(asked).finalMessage()).content[0].text,
    },
    skipped: await skippedFields(),
    refused: await refusal(openai),
    withoutKey: await refusal(new OpenAI({ ...options, apiKey: "wrong", baseURL: `${allowed}/v1` })),
    otherServer: await refusal(new OpenAI({ ...options, baseURL: `${other}/v1` })),
  };
}

const result = await found().catch((error) => ({ failure: String(error?.stack ?? error) }));
await fetch("/result", { method: "POST", body: JSON.stringify(result) });
