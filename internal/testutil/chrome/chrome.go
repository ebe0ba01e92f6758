// Package chrome drives a headless Chromium over the DevTools protocol, for
// tests of pages: it opens one, runs script in it and takes its picture.
//
// It promises that the browser and its profile are gone after Close. It speaks
// over two pipes, so that no port is opened, and knows the few methods of the
// protocol that a test needs (https://chromedevtools.github.io/devtools-protocol).
package chrome

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// ErrNotInstalled says that this machine has no Chromium.
var ErrNotInstalled = errors.New("no Chromium is installed")

// Find gives the path of the Chromium or Chrome of this machine.
func Find() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless_shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNotInstalled
}

// Browser is a Chromium with one page. It is safe for concurrent use.
type Browser struct {
	command *exec.Cmd
	in      *os.File // we write, it reads
	out     *os.File
	profile string
	session string

	mu      sync.Mutex
	last    int
	waiting map[int]chan answer
	dead    error // why nothing is read any more
	ended   chan struct{}
}

type answer struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// maxMessage bounds one message of the browser, in bytes; pictures are large.
const maxMessage = 64 << 20

// Start runs the browser with an empty page.
func Start(ctx context.Context, path string) (_ *Browser, err error) {
	profile, err := os.MkdirTemp("", "chrome-profile-")
	if err != nil {
		return nil, err
	}
	b := &Browser{profile: profile, waiting: map[int]chan answer{}, ended: make(chan struct{})}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.Close())
		}
	}()
	if err := b.run(ctx, path); err != nil {
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	var target struct {
		ID string `json:"targetId"`
	}
	if err := b.call(ctx, "Target.createTarget", map[string]any{"url": "about:blank"}, &target); err != nil {
		return nil, err
	}
	var attached struct {
		Session string `json:"sessionId"`
	}
	if err := b.call(ctx, "Target.attachToTarget", map[string]any{"targetId": target.ID, "flatten": true}, &attached); err != nil {
		return nil, err
	}
	b.session = attached.Session
	return b, b.call(ctx, "Page.enable", nil, nil)
}

func (b *Browser) run(ctx context.Context, path string) error {
	theirIn, ourIn, err := os.Pipe()
	if err != nil {
		return err
	}
	ourOut, theirOut, err := os.Pipe()
	if err != nil {
		return err
	}
	b.in, b.out = ourIn, ourOut
	// Its own sandbox needs rights that containers lack; the pages are ours.
	b.command = exec.CommandContext(ctx, path, "--headless=new", "--remote-debugging-pipe", "--no-sandbox",
		"--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars", "--user-data-dir="+b.profile, "about:blank")
	b.command.ExtraFiles = []*os.File{theirIn, theirOut} // 3 and 4, as the protocol has it
	b.command.WaitDelay = 5 * time.Second
	err = b.command.Start()
	_ = theirIn.Close()
	_ = theirOut.Close()
	if err != nil {
		b.command = nil
		return err
	}
	go b.read()
	return nil
}

// read hands answers to those who wait for them; events are of no interest.
func (b *Browser) read() {
	reader := bufio.NewReaderSize(b.out, 1<<16)
	var failure error
	for failure == nil {
		var message []byte
		message, failure = reader.ReadBytes(0)
		if failure != nil || len(message) > maxMessage {
			break
		}
		var got answer
		if json.Unmarshal(message[:len(message)-1], &got) != nil || got.ID == 0 {
			continue
		}
		b.mu.Lock()
		waiting := b.waiting[got.ID]
		delete(b.waiting, got.ID)
		b.mu.Unlock()
		if waiting != nil {
			waiting <- got
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dead = errors.Join(errors.New("the browser has ended"), failure)
	close(b.ended)
}

// call runs one method of the protocol and waits for its result.
func (b *Browser) call(ctx context.Context, method string, params map[string]any, into any) error {
	reply := make(chan answer, 1)
	b.mu.Lock()
	b.last++
	id := b.last
	b.waiting[id] = reply
	message := map[string]any{"id": id, "method": method}
	if params != nil {
		message["params"] = params
	}
	if b.session != "" {
		message["sessionId"] = b.session
	}
	data, err := json.Marshal(message)
	if err == nil {
		_, err = b.in.Write(append(data, 0))
	}
	b.mu.Unlock()
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case got := <-reply:
		if got.Error != nil {
			return fmt.Errorf("%s: %s", method, got.Error.Message)
		}
		if into == nil {
			return nil
		}
		return json.Unmarshal(got.Result, into)
	case <-b.ended:
		return fmt.Errorf("%s: %w", method, b.dead)
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, ctx.Err())
	}
}

// Open goes to an address and waits until the page is there.
func (b *Browser) Open(ctx context.Context, address string) error {
	var went struct {
		Error string `json:"errorText"`
	}
	if err := b.call(ctx, "Page.navigate", map[string]any{"url": address}, &went); err != nil {
		return err
	}
	if went.Error != "" {
		return errors.New(went.Error)
	}
	return b.Await(ctx, `document.readyState === "complete"`)
}

// Run evaluates an expression in the page, awaits it where it is a promise, and
// decodes its value; into may be nil.
func (b *Browser) Run(ctx context.Context, expression string, into any) error {
	var ran struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	err := b.call(ctx, "Runtime.evaluate", map[string]any{
		"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true,
	}, &ran)
	if err != nil {
		return err
	}
	if ran.Exception != nil {
		return fmt.Errorf("in the page: %s %s", ran.Exception.Text, ran.Exception.Exception.Description)
	}
	if into == nil || len(ran.Result.Value) == 0 {
		return nil
	}
	return json.Unmarshal(ran.Result.Value, into)
}

// Await evaluates an expression until it is true or ctx ends. A page that is
// being replaced by another one meanwhile is no error.
func (b *Browser) Await(ctx context.Context, expression string) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		var holds bool
		err := b.Run(ctx, "Boolean("+expression+")", &holds)
		if err == nil && holds {
			return nil
		}
		select {
		case <-tick.C:
		case <-b.ended:
			return b.dead
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("%s did not come true: %w", expression, ctx.Err()), err)
		}
	}
}

// Setup sets the size of the page in pixels, and whether it is dark.
func (b *Browser) Setup(ctx context.Context, width, height int, dark bool) error {
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	return errors.Join(
		b.call(ctx, "Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil),
		b.call(ctx, "Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": scheme}}}, nil))
}

// Picture takes a PNG of what is seen.
func (b *Browser) Picture(ctx context.Context) ([]byte, error) {
	var shot struct {
		Data string `json:"data"`
	}
	if err := b.call(ctx, "Page.captureScreenshot", map[string]any{"format": "png"}, &shot); err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(shot.Data)
}

// Close ends the browser and removes its profile.
func (b *Browser) Close() error {
	var all []error
	if b.in != nil {
		all = append(all, b.in.Close()) // at which it ends by itself
	}
	if b.command != nil {
		_ = b.command.Process.Kill() // a browser that hangs is of no use to anybody
		_ = b.command.Wait()         // it was killed: that is no news
		<-b.ended
	}
	if b.out != nil {
		all = append(all, b.out.Close())
	}
	// Helpers of the browser may still write into the profile for a moment.
	var err error
	for range 50 {
		if err = os.RemoveAll(b.profile); err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	return errors.Join(append(all, err)...)
}

var _ io.Closer = (*Browser)(nil)
