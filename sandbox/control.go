package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"roam-mcp/problem"
	"roam-mcp/sandbox/switches"
)

// CodeNotRunning is the code of the error for a home folder without a running
// sandbox.
const CodeNotRunning problem.Code = "SANDBOX_NOT_RUNNING"

// controlLimit is how long turning switches may take.
const controlLimit = 10 * time.Second

// SwitchState is a switch of a running sandbox, also on the wire.
type SwitchState struct {
	Name  switches.Name `json:"name"`
	Usage string        `json:"usage"` // as it is written, such as "latency=DURATION"
	Does  string        `json:"does"`
	Value string        `json:"value,omitempty"` // "on" of one that takes none; empty: off
}

// TurnSwitches changes switches of the sandbox that runs for a home folder, in any
// process of this user: with clear it turns all off first, then it applies the
// settings. It returns all switches. An empty data folder is the default one.
func TurnSwitches(ctx context.Context, home, data string, clear bool, settings ...switches.Setting) ([]SwitchState, error) {
	port, running := Running(ctx, home)
	if !running {
		return nil, &problem.Error{
			Code: CodeNotRunning, Message: fmt.Sprintf("No sandbox of the home folder %s runs.", home),
			Hint: problem.Say("Start it with %s, or name another home folder.", problem.Run("sandbox").Anywhere()),
		}
	}
	options, err := Options{Home: home, Data: data}.withDefaults()
	if err != nil {
		return nil, err
	}
	key, err := readKey(options.Data)
	if err != nil {
		return nil, err
	}
	texts := []string{}
	for _, setting := range settings {
		texts = append(texts, setting.String())
	}
	body, err := json.Marshal(switchChange{texts, clear})
	if err != nil {
		return nil, err
	}
	return postSwitches(ctx, port, key, body)
}

// switchChange is the body of POST /sandbox/switches.
type switchChange struct {
	Set   []string `json:"set"`
	Clear bool     `json:"clear"`
}

func postSwitches(ctx context.Context, port int, key string, body []byte) ([]SwitchState, error) {
	ctx, cancel := context.WithTimeout(ctx, controlLimit)
	defer cancel()
	response, err := ask(ctx, port, key, http.MethodPost, "/sandbox/switches", body)
	if err != nil {
		return nil, fmt.Errorf("turn the sandbox's switches: %w", err)
	}
	defer response.Body.Close()
	var answer struct {
		Result []SwitchState `json:"result"`
		Error  *wireError    `json:"error"`
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&answer); err != nil {
		return nil, fmt.Errorf("turn the sandbox's switches: read the answer: %w", err)
	}
	if answer.Error != nil {
		return nil, &problem.Error{Code: answer.Error.Code, Message: answer.Error.Message}
	}
	return answer.Result, nil
}

// ask calls one of the own routes of the sandbox that listens on a port. The caller
// closes the body of the response.
func ask(ctx context.Context, port int, key, method, path string, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, fmt.Sprintf("http://127.0.0.1:%d%s", port, path), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if key != "" {
		request.Header.Set(keyHeader, key)
	}
	transport := &http.Transport{DisableKeepAlives: true} // no proxy either
	return transport.RoundTrip(request)
}
