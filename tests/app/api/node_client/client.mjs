// Speaks to a local API as people's programs do, and prints what it got as one line of JSON.
import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, jsonSchema, Output, streamText } from "ai";
import { Ollama } from "ollama";
import OpenAI from "openai";

const [address] = process.argv.slice(2);
const openai = new OpenAI({ baseURL: `${address}/v1`, apiKey: "none", maxRetries: 0 });
const claude = new Anthropic({ baseURL: address, apiKey: "none", maxRetries: 0 });
const messages = [{ role: "user", content: "What is a draft model?" }];
const asked = { model: "starter/main", messages, max_tokens: 24, temperature: 0 };

const models = [];
for await (const model of openai.models.list()) models.push(model.id);

const whole = await openai.chat.completions.create({ ...asked, logprobs: true, top_logprobs: 2 });
assert.equal(whole.choices[0].logprobs.content[0].top_logprobs.length, 2);
const text = whole.choices[0].message.content;

let streamed = "";
let usage = null;
const chunks = await openai.chat.completions.create({
  ...asked,
  stream: true,
  stream_options: { include_usage: true },
});
for await (const chunk of chunks) {
  streamed += chunk.choices[0]?.delta?.content ?? "";
  usage = chunk.usage ?? usage;
}
assert.equal(streamed, text);
assert.equal(usage.completion_tokens, whole.usage.completion_tokens);

const early = await openai.chat.completions.create({ ...asked, max_tokens: 400, stream: true });
for await (const _ of early) break;

const response = await openai.responses.create({ model: "default", input: messages[0].content, max_output_tokens: 24, temperature: 0 });
assert.equal(response.output_text, text);

const schema = {
  type: "object",
  properties: { dark: { type: "boolean" } },
  required: ["dark"],
  additionalProperties: false,
};
const formatted = await openai.chat.completions.create({
  ...asked,
  response_format: { type: "json_schema", json_schema: { name: "colour", strict: true, schema } },
});
assert.equal(typeof JSON.parse(formatted.choices[0].message.content).dark, "boolean");

const message = await claude.messages.create({ model: "default", messages, max_tokens: 24, temperature: 0 });
assert.equal(message.content[0].text, text);
const events = claude.messages.stream({ model: "default", messages, max_tokens: 24, temperature: 0 });
assert.equal((await events.finalMessage()).content[0].text, text);

// It begins a message thread, and sends the whole conversation when the server has none.
const runner = claude.beta.messages.toolRunner({
  model: "default",
  messages,
  max_tokens: 24,
  temperature: 0,
  tools: [{ type: "custom", name: "look", input_schema: schema, parse: (input) => input, run: () => "seen" }],
});
assert.equal((await runner).role, "assistant");

// The default provider refers to earlier answers by the ids of their items.
const settings = { model: createOpenAI({ baseURL: `${address}/v1`, apiKey: "none" })("starter/main"), maxOutputTokens: 24, temperature: 0 };
const first = await generateText({ ...settings, messages });
assert.equal(first.text, text);
const question = { role: "user", content: "And a round?" };
const second = await generateText({ ...settings, messages: [...messages, ...first.response.messages, question] });
const turns = [...messages, { role: "assistant", content: text }, question];
const sameTurns = await openai.chat.completions.create({ ...asked, messages: turns });
assert.equal(second.text, sameTurns.choices[0].message.content);

const model = createOpenAICompatible({ name: "tandem", baseURL: `${address}/v1`, supportsStructuredOutputs: true })("gpt-4o");
const generated = { model, prompt: messages[0].content, maxOutputTokens: 24, temperature: 0 };
assert.equal((await generateText(generated)).text, text);
assert.equal(await streamText(generated).text, text);
const object = await generateText({ ...generated, maxOutputTokens: 400, output: Output.object({ schema: jsonSchema(schema) }) });
assert.equal(typeof object.output.dark, "boolean");

const ollama = new Ollama({ host: address });
const short = { model: "starter/main", options: { num_predict: 24, temperature: 0 } };
assert.equal((await ollama.chat({ ...short, messages })).message.content, text);
assert.equal((await ollama.generate({ ...short, prompt: messages[0].content })).response, text);
let pieces = "";
for await (const piece of await ollama.chat({ ...short, messages, stream: true })) pieces += piece.message.content;
assert.equal(pieces, text);
assert.equal((await ollama.list()).models[0].name, "starter/main");
assert.equal((await ollama.show({ model: "starter/main" })).details.family, "qwen3");
const { embeddings } = await ollama.embed({ model: "starter/main", input: ["a", "b"] });
const own = await openai.embeddings.create({ model: "starter/main", input: ["a", "b"] });
assert.deepEqual(own.data.map(({ embedding }) => embedding.length), embeddings.map((one) => one.length));

assert.equal((await openai.chat.completions.create({ ...asked, model: "gpt-4o" })).model, "starter/main");
await assert.rejects(openai.chat.completions.create({ ...asked, temperature: -1 }), OpenAI.BadRequestError);

console.log(JSON.stringify({ models, text }));
