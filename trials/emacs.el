;;; Plays a user of Emacs with eglot in a folder with history.md and references.json, and
;;; prints one line of JSON for each thing that the user sees.  `python -m trials.emacs`
;;; starts it.

(package-initialize)
(require 'eglot)
(require 'markdown-mode)
(require 'json)

(defun say (what value)
  (princ (concat (json-encode (list what value)) "\n")))

(defun wait-until (holds)
  (let ((tries 0))
    (while (and (< tries 200) (not (funcall holds)))
      (setq tries (1+ tries))
      (accept-process-output nil 0.1))))

(defun diagnostics ()
  "The code and the text of each finding."
  (mapcar (lambda (each)
            (vector (flymake-diagnostic-text each)
                    (buffer-substring (flymake-diagnostic-beg each)
                                      (flymake-diagnostic-end each))))
          (sort (flymake-diagnostics)
                (lambda (one other)
                  (< (flymake-diagnostic-beg one) (flymake-diagnostic-beg other))))))

(setq eglot-sync-connect 60
      eglot-confirm-server-initiated-edits nil)
(setq-default flymake-no-changes-timeout 0.1)
(add-to-list 'eglot-server-programs
             (list '(markdown-mode rst-mode bibtex-mode text-mode)
                   (getenv "PYTHON") "-m" "handle_cli" "lsp"))

(find-file "history.md")
(markdown-mode)
(call-interactively #'eglot)
(wait-until (lambda () (= 3 (length (flymake-diagnostics)))))
(say "findings" (diagnostics))

(goto-char (point-min))
(search-forward "10.1016")
(let* ((answer (jsonrpc-request (eglot-current-server) :textDocument/hover
                                (eglot--TextDocumentPositionParams)))
       (shown (eglot--hover-info (plist-get answer :contents))))
  (say "hover" (split-string (substring-no-properties shown) "\n" t " +")))

(goto-char (point-min))
(search-forward "10.1O00")
(let ((actions (append (eglot-code-actions (point)) nil)))
  (say "actions" (mapcar (lambda (each) (plist-get each :title)) actions))
  (eglot--apply-workspace-edit (plist-get (car actions) :edit) nil))
(wait-until (lambda () (= 2 (length (flymake-diagnostics)))))

(goto-char (point-max))
(insert "{doi}`kahn")
(let* ((completion (eglot-completion-at-point))
       (offered (all-completions "kahn" (nth 2 completion)))
       (finish (plist-get (nthcdr 3 completion) :exit-function)))
  (say "offered" (substring-no-properties (car offered)))
  (delete-region (nth 0 completion) (nth 1 completion))
  (insert (car offered))
  (funcall finish (car offered) 'finished))
(say "page" (buffer-substring-no-properties (point-min) (point-max)))
(set-buffer-modified-p nil)
(kill-emacs)
