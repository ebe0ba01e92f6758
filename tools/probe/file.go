package main

import "encoding/json"

// Verdict is the result of comparing a finding with a Belief.
type Verdict string

// The values of Verdict.
const (
	Same   Verdict = "="
	Differ Verdict = "≠"
	Untold Verdict = "?" // it was not tried, or nobody can tell
)

// Answer is what a probe found of one Belief.
type Answer struct {
	ID       string          `json:"id"`
	Expected string          `json:"expected"`
	Found    string          `json:"found"` // empty where Verdict is Untold
	Verdict  Verdict         `json:"verdict"`
	MS       int64           `json:"ms"`
	Request  json.RawMessage `json:"request,omitempty"` // of what decided it, where it is otherwise
	Reply    json.RawMessage `json:"reply,omitempty"`
}

// File is what a probe of one Roam found. It has no token, no name of a graph, no user,
// and no text that the probe did not write.
type File struct {
	APIVersion string   `json:"apiVersion"`
	GraphType  string   `json:"graphType"` // hosted or offline
	Encrypted  *bool    `json:"encrypted"` // null where Roam does not say
	System     string   `json:"system"`    // such as "darwin/arm64"
	Checks     []Answer `json:"checks"`
	Cleaned    bool     `json:"cleaned"` // whether all that the probe made is gone
}
