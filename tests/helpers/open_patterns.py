"""Patterns of commands, and whether a yes to them may be kept: programs of every sort, one a line.

``REFUSED`` leave open what a program could be, or are of programs that nobody has vouched for.
"""

from __future__ import annotations

from typing import Final


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.strip().splitlines() if line.strip())


REFUSED: Final = _lines("""
    sh *
    bash **
    bash -c *
    zsh -lc **
    dash *
    ksh **
    fish -c *
    nu -c *
    xonsh *
    elvish **
    tcsh *
    busybox **
    busybox sh *
    toybox *
    cmd /c *
    cmd.exe /c **
    powershell *
    powershell -Command **
    pwsh -c *
    wsl **
    wsl -e *
    /bin/sh *
    /usr/bin/env *
    /opt/tools/bash **
    env **
    env -i *
    env CI=1 **
    sudo *
    sudo -u app **
    doas **
    su - app -c *
    su-exec app **
    gosu app *
    runuser -u app **
    setpriv --reuid 1000 *
    setpriv **
    pkexec *
    run0 **
    chroot /srv **
    nsenter -t 1 -m *
    unshare -r **
    systemd-run *
    systemd-run --user **
    systemd-inhibit **
    machinectl shell **
    start-stop-daemon --start --exec *
    nohup *
    setsid **
    timeout 5 *
    timeout -k 5 5 **
    time *
    nice -n 5 *
    ionice -c 3 **
    chrt -b 0 *
    taskset -c 0 *
    numactl -N 0 **
    cpulimit -l 50 **
    prlimit --nofile=10 *
    stdbuf -oL *
    unbuffer **
    script -c *
    expect -c *
    flock lock *
    flock -n lock **
    watch *
    watch -n 1 **
    entr *
    nodemon *
    hyperfine *
    parallel *
    parallel -j 4 **
    xargs *
    xargs -n 1 **
    find . -exec *
    find . -name x -exec **
    find . **
    fd x -x *
    fd -X **
    rg --pre *
    sort --compress-program *
    sort --compress-prog x *
    tar --to-command *
    tar -xf a.tar --to-command **
    tar --checkpoint-action x *
    tar -I *
    tar **
    zip -TT *
    rsync -e *
    rsync **
    scp **
    sftp *
    ssh *
    ssh host **
    ssh -o ProxyCommand *
    sshpass -p x *
    mosh host *
    socat **
    nc -e *
    ncat --exec *
    strace *
    strace -f **
    ltrace **
    gdb *
    gdb --args **
    lldb **
    dlv exec *
    valgrind *
    valgrind --tool=memcheck **
    perf stat *
    perf record **
    rr record *
    catchsegv **
    xvfb-run **
    dbus-run-session *
    faketime x *
    fakeroot **
    proot *
    bwrap **
    firejail *
    tini **
    tini -s *
    dumb-init *
    screen *
    screen -dm **
    tmux new *
    tmux **
    dtach -n x *
    at now *
    at -f *
    batch **
    crontab *
    crontab -e **
    python *
    python3 **
    python3.12 *
    python3.12 -m *
    python2.7 -c *
    python3 -c *
    python3 -m *
    pypy3.10 **
    ipython *
    perl *
    perl -e *
    perl5.36 -ne **
    ruby -e *
    ruby3.2 **
    irb *
    node *
    node -e *
    node20 -p **
    nodejs **
    deno run *
    deno eval *
    deno **
    bun *
    bun run *
    bun x **
    bunx *
    tsx *
    ts-node **
    php -r *
    php8.2 **
    lua -e *
    lua5.4 *
    luajit **
    Rscript -e *
    R -e *
    julia -e *
    java -jar *
    java **
    jshell **
    scala *
    groovy -e *
    kotlin *
    elixir -e *
    iex *
    erl -eval *
    escript *
    ghci **
    runghc *
    racket -e *
    sbcl --eval *
    tclsh *
    awk *
    awk -f **
    gawk **
    sed *
    sed -e *
    sed -n **
    bc *
    gnuplot -e *
    vim *
    vim -c *
    vim +x *
    vi **
    nvim -c *
    nano *
    emacs --eval *
    emacsclient -e *
    ed *
    ex -c *
    less *
    more **
    most *
    sqlite3 a.db *
    psql -c *
    mysql -e *
    redis-cli **
    mongosh --eval *
    osascript -e *
    cscript *
    mshta **
    rundll32 *
    npx *
    npx --yes **
    npm exec *
    npm exec -- **
    npm x *
    npm -c *
    npm *
    npm **
    npm install *
    npm i **
    npm init *
    npm config set *
    npm --prefix web exec *
    npm test --script-shell *
    pnpm exec *
    pnpm dlx **
    pnpm --filter app exec **
    pnpm -r exec *
    pnpm --filter *
    pnpm add *
    pnpm *
    yarn exec *
    yarn dlx *
    yarn run *
    yarn workspace app **
    yarn *
    npm-run-all *
    lerna exec **
    nx *
    turbo run *
    uv run *
    uv run --with x **
    uvx *
    uv tool run *
    uv *
    pipx run *
    pipx **
    poetry run *
    poetry run -- **
    pipenv run *
    pdm run *
    hatch run *
    rye run *
    conda run -n x *
    mamba run **
    pip install *
    pip **
    bundle exec *
    bundle exec -- **
    gem install *
    cargo run *
    cargo run -- **
    cargo +nightly *
    cargo test --config *
    cargo install *
    cargo **
    go run *
    go run . **
    go generate *
    go test -exec *
    go build -toolexec *
    go vet -vettool *
    go *
    dotnet run *
    dotnet exec **
    dotnet **
    mix run *
    swift run *
    stack exec *
    cabal run *
    nix run *
    nix shell *
    nix develop -c **
    nix-shell --run *
    guix shell *
    flatpak run *
    snap run *
    distrobox enter box *
    toolbox run *
    lxc exec box **
    vagrant ssh -c *
    docker run *
    docker run --rm box **
    docker exec *
    docker exec -it box **
    docker --context prod exec box **
    docker compose run web *
    docker compose exec web **
    docker compose -f c.yml run web **
    docker compose -f c.yml exec web *
    docker-compose run web **
    docker container run box *
    docker container exec box **
    docker **
    podman run *
    podman exec box **
    podman *
    nerdctl run **
    buildah run box *
    kubectl exec *
    kubectl exec web **
    kubectl -n prod exec web **
    kubectl -n prod exec web -- *
    kubectl --context x -n prod exec web **
    kubectl run box *
    kubectl debug *
    kubectl --kubeconfig *
    kubectl plugin *
    kubectl *
    oc exec web **
    helm template --post-renderer *
    helm plugin *
    helm **
    adb shell *
    adb -s x shell **
    adb *
    ansible all -a *
    ansible-playbook *
    salt x cmd.run *
    terraform console *
    terraform **
    vagrant *
    make SHELL=x *
    make CC=gcc all *
    make -f *
    make --eval *
    make -C *
    cmake -E *
    cmake -E env **
    cmake -P *
    cmake **
    ctest **
    meson **
    bazel run *
    ninja -f *
    git *
    git **
    git -c *
    git -c alias.x=y *
    git -c alias.x=y x **
    git -c core.pager=x log *
    git -c core.pager=x log **
    git --exec-path=x *
    git --exec-path=x log **
    git --config-env=a=b log *
    git rebase --exec *
    git rebase -x *
    git rebase -i --exec x *
    git bisect run *
    git submodule foreach *
    git submodule add *
    git filter-branch --tree-filter *
    git difftool -x *
    git mergetool *
    git config *
    git config --global *
    git config core.pager *
    git config --add alias.x *
    git clone *
    git ls-remote *
    git remote add x *
    git fetch --upload-pack *
    git push --receive-pack *
    git push --exec *
    git grep -O *
    git grep --open-files-in-pager *
    git log --output *
    git diff --ext-diff *
    git merge -s *
    git worktree add *
    git credential *
    git archive --exec *
    git send-email *
    git svn **
    git gc *
    gh alias set x *
    gh extension exec *
    gh api *
    gh pr *
    aws **
    gcloud compute ssh *
    heroku run *
    fly ssh console -C *
    direnv exec . *
    dotenv **
    doppler run *
    chamber exec x **
    op run *
    aws-vault exec x *
    cross-env CI=1 *
    env-cmd *
    foreman run *
    asdf exec *
    mise exec *
    mise x **
    volta run *
    fnm exec *
    nvm exec *
    pyenv exec *
    rbenv exec **
    pm2 start *
    supervisorctl **
    forever start *
    concurrently *
    open *
    xdg-open *
    start *
    explorer *
    man -P *
    eval *
    exec *
    command *
    builtin **
    source *
    . *
    trap *
    coproc *
    noglob *
    call *
    wine *
    mono *
    qemu-x86_64 *
    ld-linux-x86-64.so.2 *
    setarch x86_64 *
    linux64 **
    torsocks *
    proxychains4 **
    pytest -p *
    pytest -c *
    pytest -o *
    pytest --pdbcls *
    jest --config *
    jest --globalSetup *
    vitest --config *
    mocha -r *
    mocha --require *
    eslint --rulesdir *
    eslint -c *
    prettier --plugin *
    pylint --init-hook *
    pylint --load-plugins *
    coverage run *
    just *
    just run *
    coverage *
    tox *
    tox -- *
    nox **
    mvn exec:java *
    mvn **
    mvn *
    gradle **
    gradle --init-script *
    ./gradlew -I *
    ./run.sh *
    ./run.sh **
    scripts/deploy **
    mytool *
    mytool **
    mytool sub **
    frobnicate x **
    npm audit *
    npm audit **
    pnpm audit **
    yarn audit *
    cargo audit **
    git reflog *
    git reflog **
    git push --force **
    git push --delete origin *
    git push --mirror *
    golangci-lint **
    jest --testRunner *
    jest --test-runner *
    jest --setup-files **
    jest --filter **
    vitest --workspace *
    mocha -R *
    bun test -r *
    bun test --cwd **
    yarn test --cwd *
    npm test -- --globalSetup *
    pytest -W *
    pytest --junitxml **
    kubectl get --context *
    docker logs --context **
    date -s *
    mvn test -s *
    gh pr list --unknown *
    find -name **
    ./git log **
    bin/ls *
    GIT log **
    NPM run *
    tool * run
    tool * exec
    apt install *
    apt-get -o *
    brew install *
    dpkg -i *
    systemctl start *
    systemctl -H x status *
    journalctl --pager *
    curl *
    curl **
    wget **
    openssl **
    gpg **
    chmod *
    ln *
    tee *
    dd **
    install *
    mount *
    kill *
""")

ALLOWED: Final = _lines("""
    ls
    ls *
    ls **
    ls -la *
    cat *
    cat **
    head -n *
    head -n 5 *
    tail **
    tail -f *
    wc -l *
    grep -rn *
    grep **
    grep -e *
    egrep *
    fgrep **
    rg *
    rg **
    rg -n x *
    fd *
    stat *
    file *
    du -sh *
    df **
    pwd
    tree *
    sort *
    sort **
    uniq *
    cut -d x *
    tr a *
    diff **
    cmp * *
    comm * *
    jq *
    yq *
    md5sum *
    sha256sum **
    basename *
    dirname *
    realpath **
    readlink -f *
    echo **
    printf *
    date **
    whoami
    id *
    uname **
    which *
    ps **
    lsof **
    mkdir -p *
    touch *
    cp * *
    mv * *
    rm *
    bat *
    git status
    git status **
    git log *
    git log **
    git --no-pager log **
    git -C sub log **
    git log --oneline **
    git diff *
    git diff **
    git diff --stat **
    git show *
    git show **
    git blame *
    git shortlog **
    git rev-parse *
    git ls-files **
    git describe **
    git grep **
    git branch *
    git branch -d *
    git checkout *
    git checkout -b *
    git switch *
    git add *
    git commit -m *
    git stash list **
    git fetch origin *
    git pull origin *
    git push origin *
    git push *
    git push **
    git merge *
    git tag *
    git config --get *
    git remote show *
    /usr/bin/git log **
    git.exe log *
    npm test
    npm test **
    npm t *
    npm run *
    npm run **
    npm run lint **
    npm --silent test **
    npm run build *
    npm ls **
    npm explain **
    git reflog show **
    golangci-lint run **
    vitest run **
    mocha **
    ava **
    stylelint **
    npm outdated **
    npm view *
    pnpm test **
    pnpm run *
    pnpm --filter app test **
    pnpm -r run *
    pnpm list **
    yarn test **
    yarn why *
    bun test **
    pytest *
    pytest **
    pytest -q **
    pytest -k *
    pytest tests/unit **
    jest **
    vitest **
    mocha *
    eslint *
    eslint **
    prettier --check **
    tsc **
    ruff check **
    ruff format *
    black *
    isort **
    flake8 **
    mypy *
    pylint *
    shellcheck *
    rspec *
    rubocop *
    coverage report *
    make *
    make **
    make test
    make -j4 **
    make build *
    rake *
    gradle *
    ./gradlew *
    gradle test *
    mvn test *
    ninja *
    cargo test
    cargo test **
    cargo build **
    cargo check **
    cargo clippy **
    cargo fmt *
    go test **
    go test -run x *
    go build *
    go vet **
    go list **
    go mod tidy **
    dotnet test *
    mix test *
    swift build *
    pip list **
    pip show *
    pip3 freeze **
    poetry show *
    docker ps **
    docker images **
    docker logs **
    docker logs -f *
    docker inspect *
    docker compose ps **
    podman ps **
    kubectl get **
    kubectl get pods **
    kubectl -n prod get pods **
    kubectl -n prod logs *
    kubectl describe pod *
    kubectl rollout status *
    helm list *
    terraform plan *
    terraform validate *
    gh pr view *
    gh pr list *
    gh run view *
    systemctl status *
    brew info *
    apt show *
    dpkg -l *
    rpm -q *
    bash
    sudo ls
    docker run box
    kubectl exec web -- ls
    python3 -m pytest
    find . -name x
    mytool sub
    ./run.sh fast
""")

NOT_COVERED: Final = tuple(
    tuple(part.strip() for part in line.split("<-"))
    for line in _lines("""
    git push origin * <- git push origin :main
    git push origin * <- git push origin +main
    git push origin * <- git push origin main:prod
    git push origin * <- git push origin --force
    git push origin * <- git push origin -f
    git push origin * <- git push origin ../x
    git push * <- git push ./elsewhere
    git push * <- git push /srv/x
    git push * <- git push ext::x
    git push * <- git push https://example.org/x
    git push * <- git push git@host:x
    git push ** <- git push origin :main
    git push ** <- git push origin +main
    git push ** <- git push --receive-pack=x origin
    git push ** <- git push --rec=x origin
    git push ** <- git push --exec=x origin
    git push ** <- git push -o x origin
    git fetch ** <- git fetch --upload-pack=x origin
    git log ** <- git log --output=x
    git log ** <- git log --outp x
    git diff ** <- git diff --ext-diff
    git grep ** <- git grep -Ox a
    git grep ** <- git grep --open-files-in-pager=x a
    git grep ** <- git grep --open x a
    git checkout * <- git checkout :/x
    git commit -m * <- git commit -m -F
    git branch * <- git branch -D
    git config --get * <- git config --get -f
    cat * <- cat ../secret
    cat * <- cat a/../../secret
    cat * <- cat -n
    cat * <- cat +x
    cat * <- cat :x
    cat * <- cat file:///etc/passwd
    cat * <- cat https://example.org/a
    cat * <- cat a=b
    cat ** <- cat a ../b
    ls ** <- ls -l ../x
    ls ** <- ls --color=../x
    npm run * <- npm run ../x
    npm run * <- npm run --script-shell=x
    npm run ** <- npm run lint --script-shell=x
    npm run ** <- npm run lint --script-shell x
    npm run ** <- npm run lint --node-options=x
    npm run ** <- npm run lint --prefix x
    npm run ** <- npm run lint --pref=x
    npm test ** <- npm test --script-sh=x
    npm test ** <- npm test -C x
    npm test ** <- npm test CI=1
    pytest ** <- pytest -p evil
    pytest ** <- pytest -pevil
    pytest ** <- pytest -xp evil
    pytest ** <- pytest -c x.ini
    pytest ** <- pytest -o x=y
    pytest ** <- pytest --override-ini x=y
    pytest ** <- pytest --pdbcls=a:b
    pytest ** <- pytest --rootdir=x
    pytest ** <- pytest ../x
    make * <- make SHELL=x
    make * <- make -n
    make ** <- make SHELL=x
    make ** <- make all CC=x
    make ** <- make -f x
    make ** <- make -nf x
    make ** <- make --eval=x
    make ** <- make --makefile=x
    make ** <- make --make=x
    make ** <- make -C x
    make ** <- make -Ix
    sort ** <- sort --compress-program=x a
    sort ** <- sort --comp=x a
    sort ** <- sort -o x a
    sort ** <- sort -uo x a
    rg ** <- rg --pre x a
    rg ** <- rg --pre=x a
    go test ** <- go test -exec x
    go test ** <- go test --exec=x
    go test ** <- go test -toolexec=x
    go test ** <- go test -vettool=x
    go vet ** <- go vet -vettool x
    cargo test ** <- cargo test --config x
    cargo test ** <- cargo test --config=x.y=z
    cargo test ** <- cargo test -Zx
    jest ** <- jest --config x
    jest ** <- jest --config=x
    jest ** <- jest --globalSetup=x
    jest ** <- jest --reporters=x
    mocha ** <- mocha -r x
    mocha ** <- mocha --require x
    eslint ** <- eslint --rulesdir x
    eslint ** <- eslint --plugin=x
    eslint ** <- eslint -c x
    eslint ** <- eslint -f x
    prettier --check ** <- prettier --check --plugin=x
    ruff check ** <- ruff check --config x
    kubectl get ** <- kubectl get --kubeconfig=x pods
    kubectl get ** <- kubectl get --kubeconf x pods
    kubectl get ** <- kubectl get -s https://example.org pods
    docker ps ** <- docker ps -H ssh://x
    docker logs * <- docker logs +x
    kubectl -n prod get pods ** <- kubectl -n dev get pods
    kubectl -n prod get pods ** <- kubectl -n prod exec web
    jest ** <- jest --test-runner=x
    jest ** <- jest --testRunner x
    jest ** <- jest --setup-files x
    jest ** <- jest --global-setup x
    jest ** <- jest --snapshot-serializers x
    jest ** <- jest --testSequencer ./x
    jest ** <- jest --setupFilesAfterEnv ./x
    jest ** <- jest --testResultsProcessor x
    jest ** <- jest --dependencyExtractor x
    jest ** <- jest --filter x
    jest ** <- jest --filter=./x.js
    jest ** <- jest --prettierPath x
    jest ** <- jest --moduleNameMapper x
    jest ** <- jest --modulePaths=x
    jest ** <- jest -ic x
    jest ** <- jest --unknown
    vitest ** <- vitest --workspace ./x.ts
    vitest ** <- vitest --global-setup x
    vitest ** <- vitest --globalSetup=x
    vitest ** <- vitest --diff ./x.ts
    vitest ** <- vitest --snapshotEnvironment x
    vitest ** <- vitest --coverage.customProviderModule x
    vitest ** <- vitest --coverage.customProviderModule=x
    vitest ** <- vitest --sequence.sequencer x
    vitest ** <- vitest --reporter ./x.js
    vitest ** <- vitest --reporter=./x.js
    vitest ** <- vitest --dir x
    mocha ** <- mocha -R ./x.js
    mocha ** <- mocha -bR ./x.js
    mocha ** <- mocha -u ./x.js
    mocha ** <- mocha --reporter ./x.js
    mocha ** <- mocha --reporter=./x.js
    mocha ** <- mocha -n import
    mocha ** <- mocha --node-option x
    mocha ** <- mocha --package x
    ava ** <- ava --node-arguments=x
    ava ** <- ava --config x
    eslint ** <- eslint --format ./x.js
    eslint ** <- eslint --format=./x.js
    eslint ** <- eslint --cache-location x
    eslint ** <- eslint --flag x
    eslint ** <- eslint -o x
    stylelint ** <- stylelint --custom-formatter x
    bun test ** <- bun test -r ./x.js
    bun test ** <- bun test --preload ./x.js
    bun test ** <- bun test --cwd x
    bun test ** <- bun test --cwd=x
    npm test ** <- npm test -- --globalSetup ./x
    npm test ** <- npm test -- --setupFiles=./x
    npm test ** <- npm test -- -r ./x
    npm test ** <- npm test -- -R ./x
    npm test ** <- npm test -- --reporter=./x
    npm test ** <- npm test -- -c x
    npm test ** <- npm test -- -u ./x
    npm t ** <- npm t -- -r ./x
    npm run ** <- npm run test -- --globalSetup ./x
    npm run ** <- npm run test -- -r ./x
    pnpm test ** <- pnpm test --globalSetup ./x
    pnpm test ** <- pnpm test -- -r ./x
    pnpm test ** <- pnpm test --dir x
    yarn test ** <- yarn test --cwd x
    yarn test ** <- yarn test --globalSetup=./x
    yarn test ** <- yarn test --use-yarnrc x
    pytest ** <- pytest -W error::evil.Cat
    pytest ** <- pytest -Werror::evil.Cat
    pytest ** <- pytest --pythonwarnings=x
    pytest ** <- pytest --junitxml=/elsewhere/.bashrc
    pytest ** <- pytest --junit-xml x
    pytest ** <- pytest --html=x
    pytest ** <- pytest --cov-report html:/elsewhere/x
    pytest ** <- pytest --cov-report=html:/elsewhere/x
    pytest ** <- pytest --cov-config=x
    pytest ** <- pytest --log-file=x
    pytest ** <- pytest --debug
    pytest ** <- pytest --maxf=1
    git push origin ** <- git push origin --force main
    git push origin ** <- git push origin -f main
    git push origin ** <- git push origin -uf main
    git push origin ** <- git push origin --force-with-lease
    git push origin ** <- git push origin --delete main
    git push origin ** <- git push origin -d main
    git push origin ** <- git push origin --mirror
    git push origin ** <- git push origin --all
    git push origin ** <- git push origin --prune
    git push origin ** <- git push origin --no-verify
    git fetch ** <- git fetch -u origin
    git fetch ** <- git fetch -f origin main
    git log ** <- git log -O x
    git diff ** <- git diff --no-index a b
    kubectl get ** <- kubectl get --context prod pods
    kubectl get ** <- kubectl get pods --cluster=x
    kubectl get ** <- kubectl get pods --user x
    kubectl get ** <- kubectl get pods --token=x
    kubectl get ** <- kubectl get pods --as x
    kubectl get ** <- kubectl get -f x
    docker logs ** <- docker logs --context x web
    docker logs ** <- docker logs -c x web
    docker logs ** <- docker logs --host=x web
    date ** <- date -s 2020-01-01
    date ** <- date --set 2020-01-01
    date ** <- date --set=2020-01-01
    file ** <- file -C -m x
    file ** <- file -z x
    file ** <- file -m x
    diff ** <- diff -l a b
    tree ** <- tree -ao x
    cargo clippy ** <- cargo clippy --fix
    cargo test ** <- cargo test --target x.json
    cargo test ** <- cargo test --target-dir x
    go test ** <- go test -o x
    go test ** <- go test -c
    go test ** <- go test -coverprofile /x
    go test ** <- go test -C x
    go env ** <- go env -w x
    go env ** <- go env -u x
    tsc ** <- tsc -p x
    tsc ** <- tsc --outDir x
    pylint ** <- pylint --output-format=evil.Reporter
    pylint ** <- pylint --load-plug x
    isort ** <- isort --settings-file x
    clang-format ** <- clang-format --style=file:x
    shellcheck ** <- shellcheck --rcfile x
    """)
)
"""A pattern that may be kept, and a command in which a word changes what the command means."""

COVERED: Final = tuple(
    tuple(part.strip() for part in line.split("<-"))
    for line in _lines("""
    git push origin * <- git push origin main
    git push origin * <- git push origin feature/x
    git push ** <- git push
    git push ** <- git push origin main
    git log ** <- git log -5 --oneline
    git log ** <- git log --since=yesterday -- src
    git show * <- git show HEAD:a.txt
    git commit -m * <- git commit -m "fix: two words"
    npm run * <- npm run build:prod
    npm run ** <- npm run lint -- --fix
    npm test ** <- npm test -- --watch
    pytest ** <- pytest -x -q tests/a.py::test_x
    pytest ** <- pytest -vv --tb=short -k "a and b"
    pytest * <- pytest tests/unit
    make ** <- make -j4 test lint
    make ** <- make -n
    cargo test ** <- cargo test --release a::b
    go test ** <- go test -v -race ./...
    ls ** <- ls -la src
    cat ** <- cat -n a b
    grep ** <- grep -rn -e x -c src
    kubectl get ** <- kubectl get pods -n prod -o wide
    docker logs ** <- docker logs -f --tail=5 web
    rg ** <- rg -n --hidden x src
    rg ** <- rg -A3 -t py x src
    pytest ** <- pytest -q tests/unit -k name -x
    pytest ** <- pytest -xvs --lf --maxfail=1
    pytest ** <- pytest -n 4 --durations=10 -m slow
    pytest ** <- pytest -rA --cov=src --cov-report=term-missing
    pytest ** <- pytest -n4 -Werror --no-header
    git log ** <- git log --oneline -n 5
    git log ** <- git log -p --stat --author=ada -S word
    git log ** <- git log --graph --all --decorate -10
    git diff ** <- git diff --stat HEAD -- src
    git diff ** <- git diff --cached --name-only
    git status ** <- git status -sb
    git status ** <- git status --porcelain --untracked-files=all
    git blame ** <- git blame -L 1,5 a.py
    git show ** <- git show --stat HEAD
    git grep ** <- git grep -nI word src
    git push ** <- git push -u origin main
    git push origin ** <- git push origin main --dry-run
    git fetch ** <- git fetch --all --prune
    git pull ** <- git pull --rebase origin main
    ls ** <- ls -la
    ls ** <- ls -lhS --color=auto src tests
    head ** <- head -n 5 a
    head ** <- head -20 a b
    tail ** <- tail -f -n100 a
    wc ** <- wc -l a b
    grep ** <- grep -rn --include=a.py -A2 x src
    grep ** <- grep -E -i --exclude-dir=node_modules x src
    du ** <- du -sh --max-depth=1 src
    df ** <- df -h
    sort ** <- sort -k2,2n -u a
    sort ** <- sort -rn --key=2 a
    tree ** <- tree -L 2 -a src
    fd ** <- fd -e py -t f x
    date ** <- date -u
    diff ** <- diff -ru a b
    mkdir ** <- mkdir -p a/b
    npm test ** <- npm test
    npm test ** <- npm test -- --coverage --runInBand
    npm test ** <- npm test -- src/a.test.js
    npm run ** <- npm run build --silent
    npm run ** <- npm run test --workspace app
    pnpm test ** <- pnpm test --watch
    yarn test ** <- yarn test --coverage src
    npm ls ** <- npm ls --depth=0
    npm outdated ** <- npm outdated --json
    bun test ** <- bun test --bail -t name
    jest ** <- jest --coverage src/a.test.js
    jest ** <- jest -t name --watch --runInBand
    jest ** <- jest --ci --maxWorkers=2 --bail
    vitest ** <- vitest run --coverage
    vitest ** <- vitest run src/a.test.ts -t name
    vitest ** <- vitest --reporter=verbose
    mocha ** <- mocha --grep name --timeout 5000 test
    ava ** <- ava --watch --match name
    eslint ** <- eslint --fix --max-warnings 0 src
    eslint ** <- eslint --ext .js,.ts src --quiet
    prettier --check ** <- prettier --check src --log-level warn
    tsc ** <- tsc --noEmit
    ruff check ** <- ruff check --fix --select E,F src
    ruff check ** <- ruff check --output-format=concise .
    black ** <- black --check --line-length 100 src
    isort ** <- isort --check-only --profile=black src
    flake8 ** <- flake8 --max-line-length=100 src
    pylint ** <- pylint --disable=C0114 -j 4 src
    golangci-lint run ** <- golangci-lint run --timeout 5m ./...
    make ** <- make -k -j 8 all
    cargo test ** <- cargo test -p core --lib -- --nocapture
    cargo test ** <- cargo test --workspace --all-features
    cargo clippy ** <- cargo clippy --all-targets -- -D warnings
    cargo build ** <- cargo build --release -j4
    go test ** <- go test -run TestX -count=1 -timeout 30s ./pkg/...
    go build ** <- go build -v ./...
    go list ** <- go list -m -json all
    pip list ** <- pip list --outdated --format=json
    docker ps ** <- docker ps -a --no-trunc
    docker logs ** <- docker logs --since 10m -t web
    docker compose logs ** <- docker compose logs -f --tail 50 web
    kubectl get ** <- kubectl get pods -A -owide --show-labels
    kubectl get ** <- kubectl get deploy -l app -o yaml
    kubectl logs ** <- kubectl logs web -c app --tail=50 -f
    kubectl describe ** <- kubectl describe pod web -n prod
    """)
)
"""What the same patterns are for."""


def filled(pattern: str) -> str:
    """A command that the pattern means word by word."""
    return " ".join({"*": "x", "**": "x"}.get(word, word) for word in pattern.split())
