package datalog

import (
	linked "container/list"
	"sync"
)

// Cache is an LRU cache of parsed queries by their text. Programs repeat a few texts,
// and parsing one costs more than finding a page. It is safe for concurrent use.
type Cache struct {
	mu     sync.Mutex
	size   int
	byText map[string]*linked.Element
	used   *linked.List // of cached, most recently used first
}

type cached struct {
	text  string
	query *Query
}

// maxCachedText bounds the texts that are cached, in bytes. Longer ones are rarely
// repeated.
const maxCachedText = 16 << 10

// NewCache returns a cache of at most size queries.
func NewCache(size int) *Cache {
	return &Cache{size: size, byText: map[string]*linked.Element{}, used: linked.New()}
}

// Get returns the query that was put under the text.
func (c *Cache) Get(text string) (*Query, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.byText[text]
	if !ok {
		return nil, false
	}
	c.used.MoveToFront(element)
	return element.Value.(cached).query, true
}

// Put caches a query, which must be what Parse returns for the text.
func (c *Cache) Put(text string, query *Query) {
	if len(text) > maxCachedText {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.byText[text]; known {
		return
	}
	c.byText[text] = c.used.PushFront(cached{text, query})
	for c.used.Len() > c.size {
		oldest := c.used.Back()
		delete(c.byText, c.used.Remove(oldest).(cached).text)
	}
}

// Parse is like the function Parse, through the cache.
func (c *Cache) Parse(text string) (*Query, error) {
	if query, ok := c.Get(text); ok {
		return query, nil
	}
	query, err := Parse(text)
	if err == nil {
		c.Put(text, query)
	}
	return query, err
}
